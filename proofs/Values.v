(* Values: equals for equals, places, and tables.

   A pass over expressions puts an expression for an equal one. A place computes a value once, and what stands in its
   scope reads it by a name. A table holds the values of an expression for a range of numbers. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language Footprint Substitution Statements Loops.
Import ListNotations.
Open Scope Z_scope.

(* ---- equals for equals ---- *)

Lemma expr_ext : forall z s t, (forall ρ σ, eval ρ σ s = eval ρ σ t) -> forall ρ σ,
  (forall u, eval ρ σ (subst_expr z s u) = eval ρ σ (subst_expr z t u)) /\
  (forall b, holds ρ σ (subst_bexp z s b) = holds ρ σ (subst_bexp z t b)).
Proof.
  intros z s t E ρ σ; apply expr_bexp_ind; simpl; intros; try congruence.
  - destruct (string_dec z x); auto.
  - rewrite H, H0, H1; auto.
Qed.

(* Wherever an expression stands, also under loops that bind what it reads: nothing is asked about capture. *)
Theorem equals_for_equals : forall s t
  (equal_values : forall ρ σ, eval ρ σ s = eval ρ σ t),
  forall z A ρ, equal ρ (subst z s A) (subst z t A).
Proof.
  intros s t E z; induction A; intros ρ.
  - apply equal_refl.
  - intro σ; simpl; destruct (expr_ext z s t E ρ σ) as [X _]; rewrite X; f_equal.
    destruct v; simpl; rewrite ?X; auto.
  - apply equal_seq; auto.
  - intro σ; simpl; destruct (expr_ext z s t E ρ σ) as [_ X]; rewrite X; destruct holds; [apply IHA1 | apply IHA2].
  - intro σ; simpl; destruct (expr_ext z s t E ρ σ) as [X _]; rewrite !X.
    apply run_ext; intros k τ _; destruct (string_dec z x); auto; apply IHA.
Qed.

(* A row with a body: its meaning is that of the body on the operands, so the body may stand for it. *)
Corollary row_means_its_body : forall (row : Z -> Z) x body
  (by_definition : forall ρ σ n, eval (bind x n ρ) σ body = row n),
  forall s ρ σ, eval ρ σ (subst_expr x s body) = row (eval ρ σ s).
Proof. intros row x body D s ρ σ; rewrite eval_subst; auto. Qed.

(* Sums and products over numbers that wrap: what is one polynomial over the integers is one value. *)
Inductive polynomial := Constant (n : Z) | Atom (k : nat) | Sum (p q : polynomial) | Product (p q : polynomial) | Opposite (p : polynomial).

Fixpoint whole (v : nat -> Z) (p : polynomial) : Z :=
  match p with
  | Constant n => n | Atom k => v k | Sum p q => whole v p + whole v q
  | Product p q => whole v p * whole v q | Opposite p => - whole v p
  end.

Fixpoint wrapped (m : Z) (v : nat -> Z) (p : polynomial) : Z :=
  match p with
  | Constant n => n mod m | Atom k => v k mod m | Sum p q => (wrapped m v p + wrapped m v q) mod m
  | Product p q => (wrapped m v p * wrapped m v q) mod m | Opposite p => (- wrapped m v p) mod m
  end.

Lemma wrapped_is_whole : forall m v p, m <> 0 -> wrapped m v p = whole v p mod m.
Proof.
  intros m v p M; induction p; simpl; auto; rewrite ?IHp, ?IHp1, ?IHp2.
  - rewrite <- Zplus_mod; auto.
  - rewrite <- Zmult_mod; auto.
  - rewrite <- Z.sub_0_l, Zminus_mod_idemp_r; auto.
Qed.

Theorem one_polynomial : forall m p q
  (legal_width : m <> 0)
  (same_polynomial : forall v, whole v p = whole v q),
  forall v, wrapped m v p = wrapped m v q.
Proof. intros m p q M S v; rewrite !wrapped_is_whole, S; auto. Qed.

(* ---- places ---- *)

(* How a value is computed: at once, by way of another one that is named, or by a branch that computes one arm only. *)
Inductive value := Plain (s : expr) | Named (t : name) (v w : value) | Chosen (b : bexp) (v w : value).

Fixpoint compute (ρ : env) (σ : state) (v : value) : Z :=
  match v with
  | Plain s => eval ρ σ s
  | Named t v w => compute (bind t (compute ρ σ v) ρ) σ w
  | Chosen b v w => if holds ρ σ b then compute ρ σ v else compute ρ σ w
  end.

Fixpoint expression (v : value) : expr :=
  match v with
  | Plain s => s
  | Named t v w => subst_expr t (expression v) (expression w)
  | Chosen b v w => Pick b (expression v) (expression w)
  end.

Lemma compute_expression : forall v ρ σ, compute ρ σ v = eval ρ σ (expression v).
Proof.
  induction v; simpl; intros ρ σ; auto.
  - rewrite eval_subst, <- IHv1; auto.
  - rewrite IHv1, IHv2; auto.
Qed.

(* A program with places: `Here t v A` computes v now, and A reads it as t. *)
Inductive placed :=
  | Nothing
  | Store (v : target) (s : expr)
  | Then (A B : placed)
  | Branch (b : bexp) (A B : placed)
  | Loop (x : name) (lo hi : expr) (A : placed)
  | Here (t : name) (v : value) (A : placed).

Fixpoint exec_placed (ρ : env) (A : placed) (σ : state) : state :=
  match A with
  | Nothing => σ
  | Store v s => set (locate ρ σ v) (eval ρ σ s) σ
  | Then A B => exec_placed ρ B (exec_placed ρ A σ)
  | Branch b A B => if holds ρ σ b then exec_placed ρ A σ else exec_placed ρ B σ
  | Loop x lo hi A =>
      run (fun k => exec_placed (bind x k ρ) A) (eval ρ σ lo) (trips (eval ρ σ lo) (eval ρ σ hi)) σ
  | Here t v A => exec_placed (bind t (compute ρ σ v) ρ) A σ
  end.

Fixpoint erase (A : placed) : stat :=
  match A with
  | Nothing => Null
  | Store v s => Assign v s
  | Then A B => Seq (erase A) (erase B)
  | Branch b A B => If b (erase A) (erase B)
  | Loop x lo hi A => For x lo hi (erase A)
  | Here t v A => subst t (expression v) (erase A)
  end.

(* No loop in the scope of a place has an index that the place's value reads. *)
Fixpoint in_scope (A : placed) : Prop :=
  match A with
  | Nothing | Store _ _ => True
  | Then A B | Branch _ A B => in_scope A /\ in_scope B
  | Loop _ _ _ A => in_scope A
  | Here _ v A => disjoint (bound (erase A)) (names (expression v)) /\ in_scope A
  end.

(* Nothing in its scope stores to what it loads. *)
Fixpoint loads_kept (A : placed) : Prop :=
  match A with
  | Nothing | Store _ _ => True
  | Then A B | Branch _ A B => loads_kept A /\ loads_kept B
  | Loop _ _ _ A => loads_kept A
  | Here _ v A => disjoint (sets (erase A)) (names (expression v)) /\ loads_kept A
  end.

Lemma sets_apart_from : forall A ρ s ρ', disjoint (sets A) (names s) -> apart (writes ρ A) (reads ρ' s).
Proof. intros A ρ s ρ' D l W R; apply (D (label l)); [eapply writes_sets | eapply names_in]; eauto. Qed.

Theorem places_change_no_value : forall A
  (legal_in_scope : in_scope A)
  (loads_kept : loads_kept A),
  forall ρ σ, exec_placed ρ A σ = exec ρ (erase A) σ.
Proof.
  induction A; simpl; intros S K ρ σ; auto.
  - rewrite IHA1, IHA2; tauto.
  - rewrite IHA1, IHA2; tauto.
  - apply run_ext; intros; apply IHA; auto.
  - destruct S as [D S], K as [W K]; rewrite compute_expression, IHA by auto.
    symmetry; apply substitute; auto; apply sets_apart_from; auto.
Qed.

(* Code motion under a guard: before a loop a value is computed only where the loop will ask for it, that is if the
   guard holds and there is an iteration; else the name holds anything. *)
Theorem code_motion_under_guard : forall ρ x lo hi g t v A B anything
  (legal_new_name : ~ In t (names_b g ++ names lo ++ names hi ++ uses B))
  (legal_in_scope : disjoint (bound A) (names (expression v)) /\ x <> t)
  (index_absent : ~ In x (names_b g) /\ ~ In x (names (expression v)))
  (memory_unchanged : disjoint (sets A ++ sets B) (names_b g ++ names (expression v))),
  forall σ,
  exec ρ (For x lo hi (If g (subst t (expression v) A) B)) σ =
  exec (bind t (if holds ρ σ g && holds ρ σ (Rel AtMost lo hi) then compute ρ σ v else anything) ρ)
    (For x lo hi (If g A B)) σ.
Proof.
  intros ρ x lo hi g t v A B z N [C X] [Ig Iv] K σ; rewrite !exec_for.
  set (n := if _ && _ then _ else _).
  assert (Nt : forall s, (forall m, In m (names s) -> In m (names_b g ++ names lo ++ names hi ++ uses B)) ->
               forall τ, eval (bind t n ρ) τ s = eval ρ τ s).
  { intros s I τ; apply eval_env; intros m M; apply bind_other; intros ->; auto. }
  rewrite !Nt by (intros; rewrite !in_app_iff; auto).
  apply (run_relates (fun α β => α = β /\ holds ρ α g = holds ρ σ g /\
    eval ρ α (expression v) = eval ρ σ (expression v))); auto.
  intros k α β J (<- & G & V); apply trips_in in J.
  assert (Hg : forall ρ', (ρ' = ρ \/ ρ' = bind t n ρ) -> holds (bind x k ρ') α g = holds ρ α g).
  { intros ρ' [-> | ->]; apply holds_env; intros m M.
    - apply bind_other; intros ->; auto.
    - rewrite !bind_other; auto; intros ->; [apply N, in_app_iff; auto | auto]. }
  simpl; rewrite !Hg by auto; rewrite G.
  assert (Ev : eval (bind x k ρ) α (expression v) = eval ρ α (expression v)) by (apply eval_unused; auto).
  assert (Kg : forall D ρ', disjoint (sets D) (names_b g ++ names (expression v)) ->
               holds ρ (exec ρ' D α) g = holds ρ α g /\ eval ρ (exec ρ' D α) (expression v) = eval ρ α (expression v)).
  { intros D ρ' S; split.
    - apply truth_survives; intros l W R; apply (S (label l)); [eapply writes_sets; eauto |].
      apply in_app_iff; left; eapply names_in_b; eauto.
    - apply value_survives, sets_apart_from; intros m M I; apply (S m); auto; apply in_app_iff; auto. }
  assert (KA : disjoint (sets A) (names_b g ++ names (expression v))).
  { intros m M I; apply (K m); auto; apply in_app_iff; auto. }
  assert (KB : disjoint (sets B) (names_b g ++ names (expression v))).
  { intros m M I; apply (K m); auto; apply in_app_iff; auto. }
  assert (E : holds ρ σ g = true ->
    exec (bind x k ρ) (subst t (expression v) A) α = exec (bind x k (bind t n ρ)) A α).
  { intro H; rewrite (substitute A t (expression v) (bind x k ρ) (bind x k ρ)); auto.
    - rewrite Ev, V, bind_commute by auto; do 3 f_equal; unfold n; rewrite H; simpl.
      rewrite (proj2 (Z.leb_le _ _)) by lia; symmetry; apply compute_expression.
    - apply sets_apart_from; intros m M I; apply (KA m); auto; apply in_app_iff; auto. }
  destruct (holds ρ σ g) eqn:H.
  - rewrite E by auto; split; auto; rewrite <- G, <- V; apply Kg; auto.
  - split; [| rewrite <- G, <- V; apply Kg; auto].
    rewrite bind_commute by auto; symmetry; apply exec_unused.
    intro I; apply N; rewrite !in_app_iff; auto.
Qed.

(* ---- tables ---- *)

(* Alike but for one array. *)
Definition alike_off (c : name) (σ τ : state) : Prop := forall l, label l <> c -> σ l = τ l.

Definition unmentioned (c : name) (A : stat) : Prop := ~ In c (uses A) /\ ~ In c (sets A) /\ ~ In c (bound A).

Lemma loads_uses : forall A ρ l, loads ρ A l -> ~ In (label l) (bound A) -> In (label l) (uses A).
Proof.
  induction A; simpl; intros ρ l L B; rewrite ?in_app_iff in *.
  - contradiction.
  - destruct L as [L | L]; [left | right; eapply names_in; eauto].
    destruct v; simpl in *; [contradiction | eapply names_in; eauto].
  - destruct L; [left; eapply IHA1 | right; eapply IHA2]; eauto.
  - destruct L as [L | [[_ L] | [_ L]]]; [left; eapply names_in_b | right; left; eapply IHA1 | right; right; eapply IHA2]; eauto.
  - destruct L as [L | [L | (k & _ & L)]]; [left; eapply names_in | right; left; eapply names_in |]; eauto.
    right; right; apply in_in_remove; [intro E; apply B; auto | eapply IHA; eauto].
Qed.

Lemma alike_value : forall c ρ σ τ s, ~ In c (names s) -> alike_off c σ τ -> eval ρ σ s = eval ρ τ s.
Proof. intros c ρ σ τ s N G; apply value_agrees; intros l L; apply G; intros <-; apply N; eapply names_in; eauto. Qed.

Lemma alike_exec : forall c A ρ σ τ, unmentioned c A -> alike_off c σ τ -> alike_off c (exec ρ A σ) (exec ρ A τ).
Proof.
  intros c A ρ σ τ (U & _ & B) G; apply (loaded_decides A ρ (fun l => label l <> c)); auto.
  intros l L E; apply U; rewrite <- E in *; eapply loads_uses; eauto.
Qed.

(* The table holds the values of e for the numbers a .. b. *)
Definition filled (c : name) (ρ : env) (y : name) (e : expr) (a b : Z) (σ : state) : Prop :=
  forall k, a <= k <= b -> σ (Cell c k) = eval (bind y k ρ) σ e.

Definition fill (c y : name) (lo hi e : expr) : stat := For y lo hi (Assign (Indexed c (Var y)) e).

Lemma fill_fills : forall c ρ y lo hi e σ, ~ In c (names e) ->
  let τ := exec ρ (fill c y lo hi e) σ in
  filled c ρ y e (eval ρ σ lo) (eval ρ σ hi) τ /\ alike_off c τ σ.
Proof.
  intros c ρ y lo hi e σ N; unfold fill; rewrite exec_for; set (a := eval ρ σ lo); set (b := eval ρ σ hi); simpl.
  set (f := fun k τ => set (Cell c (eval (bind y k ρ) τ (Var y))) (eval (bind y k ρ) τ e) τ).
  assert (H : forall n, let τ := run f a n σ in
    (forall k, a <= k < a + Z.of_nat n -> τ (Cell c k) = eval (bind y k ρ) τ e) /\ alike_off c τ σ).
  { induction n as [| n [F G]]; [split; [intros; lia | intros l _; auto] |].
    cbv zeta in *; rewrite run_one_more; set (τ := run f a n σ) in *.
    assert (G' : alike_off c (f (a + Z.of_nat n) τ) τ).
    { intros l L; unfold f; apply set_other; intros <-; simpl in L; auto. }
    split; [| intros l L; rewrite G'; auto].
    intros k K; rewrite (alike_value c (bind y k ρ) _ τ e) by auto.
    unfold f at 1; simpl; rewrite bind_same; unfold set; destruct loc_eq as [E | E].
    - injection E as ->; auto.
    - apply F; assert (k <> a + Z.of_nat n) by (intros ->; auto); lia. }
  destruct (H (trips a b)) as [F G]; split; auto; intros k K; apply F; apply trips_in; auto.
Qed.

Lemma filled_survives : forall c ρ y e a b ρ' A σ, ~ In c (sets A) -> disjoint (sets A) (names e) ->
  filled c ρ y e a b σ -> filled c ρ y e a b (exec ρ' A σ).
Proof.
  intros c ρ y e a b ρ' A σ N D F k K; rewrite unset_stays, value_survives; auto.
  - apply sets_apart_from; auto.
  - intro W; apply N; apply (writes_sets A ρ' (Cell c k)); auto.
Qed.

(* What depends on an inner index alone is computed for every such index before the outer loop. *)
Theorem table_of_a_column : forall ρ x y t c lo hi lo' hi' e A B C
  (shape_of_the_inner_index : ~ In x (names e))
  (legal_new_table : unmentioned c A /\ unmentioned c B /\ unmentioned c C /\
                     ~ In c (names e ++ names lo ++ names hi ++ names lo' ++ names hi'))
  (legal_no_capture : disjoint (bound A) (y :: names e))
  (fixed_bounds : ~ In x (names lo) /\ ~ In x (names hi))
  (memory_unchanged : disjoint (sets A ++ sets B ++ sets C) (names e ++ names lo ++ names hi)),
  forall σ, alike_off c
    (exec ρ (Seq (fill c y lo hi e)
                 (For x lo' hi' (Seq B (Seq (For y lo hi (subst t (Elem c (Var y)) A)) C)))) σ)
    (exec ρ (For x lo' hi' (Seq B (Seq (For y lo hi (subst t e A)) C))) σ).
Proof.
  intros ρ x y t c lo hi lo' hi' e A B C X (UA & UB & UC & N) D [Fl Fh] M σ.
  rewrite !in_app_iff in N.
  destruct (fill_fills c ρ y lo hi e σ) as [F G]; [tauto |].
  rewrite exec_seq; set (τ := exec ρ (fill c y lo hi e) σ) in *; rewrite !exec_for.
  set (a := eval ρ σ lo) in *; set (b := eval ρ σ hi) in *.
  rewrite !(alike_value c ρ τ σ) by tauto.
  pose (R α β := alike_off c α β /\ filled c ρ y e a b α /\ eval ρ α lo = a /\ eval ρ α hi = b).
  assert (S : forall P ρ', unmentioned c P -> disjoint (sets P) (names e ++ names lo ++ names hi) ->
              forall α β, R α β -> R (exec ρ' P α) (exec ρ' P β)).
  { intros P ρ' U K α β (Al & Fi & <- & <-); repeat split.
    - apply alike_exec; auto.
    - apply filled_survives; auto; [apply U |]; intros m Q I; apply (K m); rewrite ?in_app_iff; auto.
    - apply value_survives, sets_apart_from; intros m Q I; apply (K m); rewrite ?in_app_iff; auto.
    - apply value_survives, sets_apart_from; intros m Q I; apply (K m); rewrite ?in_app_iff; auto. }
  assert (MA : disjoint (sets A) (names e ++ names lo ++ names hi)) by (intros m Q; apply M; rewrite !in_app_iff; auto).
  assert (MB : disjoint (sets B) (names e ++ names lo ++ names hi)) by (intros m Q; apply M; rewrite !in_app_iff; auto).
  assert (MC : disjoint (sets C) (names e ++ names lo ++ names hi)) by (intros m Q; apply M; rewrite !in_app_iff; auto).
  apply (run_relates R).
  2: { repeat split; auto; apply (alike_value c); auto; tauto. }
  intros j α β _ H; rewrite !exec_seq.
  apply S; auto; apply (S B (bind x j ρ)) in H; auto.
  set (α' := exec (bind x j ρ) B α) in *; set (β' := exec (bind x j ρ) B β) in *; rewrite !exec_for.
  assert (El : eval (bind x j ρ) α' lo = a) by (rewrite eval_unused by auto; apply H).
  assert (Eh : eval (bind x j ρ) α' hi = b) by (rewrite eval_unused by auto; apply H).
  rewrite <- !(alike_value c (bind x j ρ) α' β') by (try tauto; apply H); rewrite El, Eh.
  apply (run_relates R); auto.
  clear α β α' β' H El Eh; intros k α β K H; apply trips_in in K.
  set (ρ' := bind y k (bind x j ρ)).
  assert (Ee : forall ν, eval ρ' ν e = eval (bind y k ρ) ν e).
  { intro ν; apply eval_env; intros m I; unfold ρ', bind; destruct (string_dec y m), (string_dec x m); subst; tauto. }
  assert (T : eval ρ' α (Elem c (Var y)) = eval ρ' α e).
  { simpl; unfold ρ' at 1; rewrite bind_same, Ee; apply H; auto. }
  assert (V : eval ρ' β e = eval ρ' α e) by (symmetry; apply (alike_value c); [tauto | apply H]).
  rewrite (substitute A t (Elem c (Var y)) ρ' ρ'), (substitute A t e ρ' ρ'), T, V; auto.
  - intros m Q I; apply (D m); simpl; auto.
  - apply sets_apart_from; intros m Q I; apply (MA m); auto; apply in_app_iff; auto.
  - intros m Q I; simpl in I; destruct I as [<- | [<- | []]]; [apply UA; auto | apply (D y); simpl; auto].
  - intros l W L; simpl in L; unfold ρ' in L; rewrite bind_same in L; destruct L as [[ν ->] | [L _]]; [| discriminate].
    apply (proj1 (proj2 UA)); apply (writes_sets A _ _ W).
Qed.

(* Wherever a name is read, something holds of the indices of the loops around; no bound of a loop reads it. *)
Fixpoint wherever (t : name) (K : env -> Prop) (ρ : env) (A : stat) : Prop :=
  match A with
  | Null => True
  | Assign v s => In t (target_reads v ++ names s) -> K ρ
  | Seq A B => wherever t K ρ A /\ wherever t K ρ B
  | If b A B => (In t (names_b b) -> K ρ) /\ wherever t K ρ A /\ wherever t K ρ B
  | For x lo hi A =>
      ~ In t (names lo ++ names hi) /\ forall k, reached ρ lo hi k -> wherever t K (bind x k ρ) A
  end.

Lemma unread : forall t s u, ~ In t (names u) -> subst_expr t s u = u.
Proof.
  intros t s.
  assert (H : (forall u, ~ In t (names u) -> subst_expr t s u = u) /\
              (forall b, ~ In t (names_b b) -> subst_bexp t s b = b)).
  { apply expr_bexp_ind; simpl; intros; rewrite ?in_app_iff in *; try (f_equal; tauto).
    destruct (string_dec t x) as [-> |]; tauto. }
  apply H.
Qed.

(* What one small number decides is computed for every such number before all else. *)
Theorem table_of_numbers : forall ρ n t c last e p A
  (shape_of_one_number : forall m, In m (names e) -> m <> n -> ~ In m (bound A))
  (shape_small : wherever t (fun ρ => forall σ, 0 <= eval ρ σ p <= last) ρ A)
  (legal_new_table : unmentioned c A /\ ~ In c (names e ++ names p) /\ ~ In t (bound A))
  (memory_unchanged : disjoint (sets A) (names e)),
  forall σ, alike_off c
    (exec ρ (Seq (fill c n (Num 0) (Num last) e) (subst t (Elem c p) A)) σ)
    (exec ρ (subst t (subst_expr n p e) A) σ).
Proof.
  intros ρ n t c last e p A One Small (UA & N & Bt) M σ; rewrite in_app_iff in N.
  destruct (fill_fills c ρ n (Num 0) (Num last) e σ) as [F G]; [tauto |]; rewrite exec_seq.
  set (τ := exec ρ (fill c n (Num 0) (Num last) e) σ) in *; simpl eval in F; clearbody τ.
  (* The environments inside differ from the one outside in the indices of loops inside. *)
  assert (H : forall B ρ' α β,
    (forall m, In m (names e) -> m <> n -> ~ In m (bound B)) -> unmentioned c B -> ~ In t (bound B) ->
    disjoint (sets B) (names e) -> (forall m, In m (names e) -> m <> n -> ρ' m = ρ m) ->
    wherever t (fun ρ => forall σ, 0 <= eval ρ σ p <= last) ρ' B ->
    alike_off c α β -> filled c ρ n e 0 last α ->
    alike_off c (exec ρ' (subst t (Elem c p) B) α) (exec ρ' (subst t (subst_expr n p e) B) β) /\
    filled c ρ n e 0 last (exec ρ' (subst t (Elem c p) B) α)).
  { (* The two expressions agree wherever they are asked for. *)
    assert (V : forall ρ' α β, (forall m, In m (names e) -> m <> n -> ρ' m = ρ m) ->
      alike_off c α β -> filled c ρ n e 0 last α -> (forall σ, 0 <= eval ρ' σ p <= last) ->
      eval ρ' α (Elem c p) = eval ρ' β (subst_expr n p e)).
    { intros ρ' α β O Al Fi P; simpl; rewrite Fi by auto; rewrite eval_subst.
      rewrite <- (alike_value c ρ' α β p) by tauto; rewrite <- (alike_value c _ α β e) by tauto.
      apply eval_env; intros m I; unfold bind; destruct (string_dec n m); auto; symmetry; auto. }
    assert (W : forall ρ' α β, (forall m, In m (names e) -> m <> n -> ρ' m = ρ m) ->
      alike_off c α β -> filled c ρ n e 0 last α ->
      (forall u, ~ In c (names u) -> (In t (names u) -> forall σ, 0 <= eval ρ' σ p <= last) ->
        eval ρ' α (subst_expr t (Elem c p) u) = eval ρ' β (subst_expr t (subst_expr n p e) u)) /\
      (forall b, ~ In c (names_b b) -> (In t (names_b b) -> forall σ, 0 <= eval ρ' σ p <= last) ->
        holds ρ' α (subst_bexp t (Elem c p) b) = holds ρ' β (subst_bexp t (subst_expr n p e) b))).
    { intros ρ' α β O Al Fi; apply expr_bexp_ind; simpl; intros;
        repeat match goal with H : ~ In c (_ ++ _) |- _ => rewrite !in_app_iff in H end;
        repeat match goal with H : In t (_ ++ _) -> _ |- _ => rewrite !in_app_iff in H end; auto.
      - destruct (string_dec t x) as [<- |]; [apply V; auto |].
        simpl; destruct (ρ' x); auto; apply Al; simpl; tauto.
      - rewrite H by tauto; apply Al; simpl; tauto.
      - rewrite H, H0; tauto.
      - rewrite H, H0, H1; tauto.
      - rewrite H, H0; tauto.
      - rewrite H; tauto.
      - rewrite H, H0, H1; tauto. }
    induction B; simpl; intros ρ' α β On U Nt D O K Al Fi; unfold unmentioned in U; simpl in U;
      rewrite ?in_app_iff in *; auto.
    - destruct (W ρ' α β O Al Fi) as [We _].
      rewrite We by tauto.
      assert (L : locate ρ' α (subst_target t (Elem c p) v) = locate ρ' β (subst_target t (subst_expr n p e) v)).
      { destruct v; simpl in *; auto; f_equal; apply We; tauto. }
      rewrite L; set (l := locate ρ' β _); set (z := eval ρ' β _).
      assert (Ll : label l = target_name v) by (unfold l; destruct v; auto).
      assert (Lc : label l <> c) by (rewrite Ll; tauto).
      split.
      + intros m Q; unfold set; destruct loc_eq; auto.
      + intros k R; rewrite set_other by (intros E; apply Lc; rewrite E; auto).
        rewrite Fi by auto; apply value_agrees; intros m R'; symmetry; apply set_other; intros <-.
        apply (D (label l)); [simpl; auto | eapply names_in; eauto].
    - apply disjoint_app in D as [D1 D2]; destruct (IHB1 ρ' α β) as [Al' Fi']; try tauto; unfold unmentioned; try tauto.
      + intros m I J; specialize (On m I J); rewrite in_app_iff in On; tauto.
      + apply IHB2; try tauto; unfold unmentioned; try tauto.
        intros m I J; specialize (On m I J); rewrite in_app_iff in On; tauto.
    - apply disjoint_app in D as [D1 D2]; destruct (W ρ' α β O Al Fi) as [_ Wb]; rewrite Wb by tauto.
      destruct holds; [apply IHB1 | apply IHB2]; try tauto; unfold unmentioned; try tauto;
        intros m I J; specialize (On m I J); rewrite in_app_iff in On; tauto.
    - destruct K as [Kb K]; rewrite (unread t _ lo), (unread t _ hi), (unread t (subst_expr n p e) lo),
        (unread t (subst_expr n p e) hi) by tauto.
      rewrite !(alike_value c ρ' α β) by tauto; set (a := eval ρ' β lo); set (b := eval ρ' β hi).
      assert (Tx : t <> x) by (intros ->; tauto).
      destruct (string_dec t x); [tauto |].
      apply (run_relates (fun α β => alike_off c α β /\ filled c ρ n e 0 last α)); auto.
      intros k γ δ J [Al' Fi']; apply trips_in in J; apply IHB; auto; try tauto.
      + intros m I Q R; apply (On m I Q); auto.
      + split; [intro I; apply (proj1 U); right; right; apply in_in_remove; [intros -> |] | split]; tauto.
      + intros m I Q; rewrite bind_other; auto; intros ->; apply (On m I Q); auto.
      + apply K; exists β; auto. }
  apply H; auto; tauto.
Qed.
