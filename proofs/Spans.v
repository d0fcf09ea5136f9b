(* Cutting loops: loop-conditional joining (5.4.1), any monotone condition, index-set splitting, peeling, strips.

   A condition that holds in one run of iterations shortens the loop to these. What is compared with the index must
   survive the loop; the loop's own bounds need not, for they are fixed at entry. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language Footprint Substitution Statements Loops.
Open Scope Z_scope.

(* ---- runs ---- *)

Lemma run_from : forall f g a b c σ,
  (forall k τ, a <= k <= b -> f k τ = if c <=? k then g k τ else τ) ->
  run f a (trips a b) σ = run g (Z.max a c) (trips (Z.max a c) b) σ.
Proof.
  intros f g a b c σ E.
  destruct (Z.le_gt_cases (Z.max a c - 1) b) as [L | L].
  - rewrite (run_split f a (Z.max a c - 1) b) by lia.
    rewrite (run_nothing f (trips a (Z.max a c - 1))).
    + replace (Z.max a c - 1 + 1) with (Z.max a c) by lia.
      apply run_ext; intros k τ K; apply trips_in in K; rewrite E by lia; destruct (Z.leb_spec c k); auto; lia.
    + intros k τ K; apply trips_in in K; rewrite E by lia; destruct (Z.leb_spec c k); auto; lia.
  - rewrite (trips_none (Z.max a c) b) by lia; apply run_nothing.
    intros k τ K; apply trips_in in K; rewrite E by lia; destruct (Z.leb_spec c k); auto; lia.
Qed.

Lemma run_to : forall f g a b c σ,
  (forall k τ, a <= k <= b -> f k τ = if k <=? c then g k τ else τ) ->
  run f a (trips a b) σ = run g a (trips a (Z.min b c)) σ.
Proof.
  intros f g a b c σ E.
  destruct (Z.le_gt_cases (a - 1) (Z.min b c)) as [L | L].
  - rewrite (run_split f a (Z.min b c) b) by lia.
    rewrite (run_nothing f (trips (Z.min b c + 1) b)).
    + apply run_ext; intros k τ K; apply trips_in in K; rewrite E by lia; destruct (Z.leb_spec k c); auto; lia.
    + intros k τ K; apply trips_in in K; rewrite E by lia; destruct (Z.leb_spec k c); auto; lia.
  - rewrite (trips_none a (Z.min b c)) by lia; apply run_nothing.
    intros k τ K; apply trips_in in K; rewrite E by lia; destruct (Z.leb_spec k c); auto; lia.
Qed.

(* A run in which some value of the state stays what it was at entry. *)
Lemma run_while_kept : forall f g (h : state -> Z) a n σ,
  (forall k τ, a <= k < a + Z.of_nat n -> h τ = h σ -> f k τ = g k τ) ->
  (forall k τ, a <= k < a + Z.of_nat n -> h τ = h σ -> h (g k τ) = h σ) ->
  run f a n σ = run g a n σ.
Proof.
  intros f g h a n σ E K.
  apply (run_relates (fun α β => α = β /\ h α = h σ)); auto.
  intros k α β J [<- H]; rewrite E by auto; auto.
Qed.

Lemma loop_keeps : forall ρ x lo hi A s, apart (writes ρ (For x lo hi A)) (reads ρ s) ->
  forall k τ, reached ρ lo hi k -> eval ρ (exec (bind x k ρ) A τ) s = eval ρ τ s.
Proof. intros ρ x lo hi A s W k τ R; apply value_survives; intros l L; apply W; exists k; auto. Qed.

(* ---- 5.4.1 ---- *)

(* What a condition says about the index: that it is at least c, or at most c, in every state. *)
Definition says_at_least (ρ : env) (x : name) (b : bexp) (c : expr) : Prop :=
  forall σ k, holds (bind x k ρ) σ b = (eval ρ σ c <=? k).
Definition says_at_most (ρ : env) (x : name) (b : bexp) (c : expr) : Prop :=
  forall σ k, holds (bind x k ρ) σ b = (k <=? eval ρ σ c).

Theorem join_at_least : forall ρ x lo hi b c A
  (condition_bounds_index : says_at_least ρ x b c)
  (bound_kept : apart (writes ρ (For x lo hi A)) (reads ρ c)),
  equal ρ (For x lo hi (If b A Null)) (For x (Bin Max lo c) hi A).
Proof.
  intros ρ x lo hi b c A S K σ; simpl.
  rewrite <- (run_from (fun k τ => if eval ρ σ c <=? k then exec (bind x k ρ) A τ else τ)); auto.
  apply (run_while_kept _ _ (fun τ => eval ρ τ c)); intros k τ J H; apply trips_in in J.
  - rewrite S, H; auto.
  - destruct (_ <=? k); auto; rewrite <- H; eapply loop_keeps; eauto; exists σ; auto.
Qed.

Theorem join_at_most : forall ρ x lo hi b c A
  (condition_bounds_index : says_at_most ρ x b c)
  (bound_kept : apart (writes ρ (For x lo hi A)) (reads ρ c)),
  equal ρ (For x lo hi (If b A Null)) (For x lo (Bin Min hi c) A).
Proof.
  intros ρ x lo hi b c A S K σ; simpl.
  rewrite <- (run_to (fun k τ => if k <=? eval ρ σ c then exec (bind x k ρ) A τ else τ)); auto.
  apply (run_while_kept _ _ (fun τ => eval ρ τ c)); intros k τ J H; apply trips_in in J.
  - rewrite S, H; auto.
  - destruct (k <=? _); auto; rewrite <- H; eapply loop_keeps; eauto; exists σ; auto.
Qed.

(* Subranges, and equality as a subrange of one. *)
Theorem join_within : forall ρ x lo hi c d A
  (index_not_in_bounds : ~ In x (names c) /\ ~ In x (names d))
  (bounds_kept : apart (writes ρ (For x lo hi A)) (bounds_read ρ c d)),
  equal ρ (For x lo hi (If (Within (Var x) c d) A Null)) (For x (Bin Max lo c) (Bin Min hi d) A).
Proof.
  intros ρ x lo hi c d A [C D] K σ.
  set (b := Within (Var x) c d).
  pose (e := Rel AtLeast (Var x) c); pose (f := Rel AtMost (Var x) d).
  transitivity (exec ρ (For x lo hi (If e (If f A Null) Null)) σ).
  { simpl; apply run_ext; intros k τ _; rewrite Z.geb_leb; destruct (_ <=? _); auto. }
  rewrite (join_at_least ρ x lo hi e c).
  - apply join_at_most.
    + intros τ k; simpl; rewrite bind_same, eval_unused by auto; auto.
    + intros l (k & [τ R] & W) L; simpl in R.
      apply (K l); [exists k; split; auto; exists τ; lia | right; auto].
  - intros τ k; simpl; rewrite bind_same, eval_unused, Z.geb_leb by auto; auto.
  - intros l (k & R & [[_ W] | [_ []]]) L; apply (K l); [exists k; auto | left; auto].
Qed.

(* The comparisons, each as one of the two. *)
Lemma at_least_says : forall ρ x c, ~ In x (names c) -> says_at_least ρ x (Rel AtLeast (Var x) c) c.
Proof. intros ρ x c N σ k; simpl; rewrite bind_same, eval_unused, Z.geb_leb by auto; auto. Qed.

Lemma greater_says : forall ρ x c, ~ In x (names c) ->
  says_at_least ρ x (Rel Greater (Var x) c) (Bin Add c (Num 1)).
Proof.
  intros ρ x c N σ k; simpl; rewrite bind_same, eval_unused, Z.gtb_ltb by auto.
  destruct (Z.ltb_spec (eval ρ σ c) k), (Z.leb_spec (eval ρ σ c + 1) k); auto; lia.
Qed.

Lemma at_most_says : forall ρ x c, ~ In x (names c) -> says_at_most ρ x (Rel AtMost (Var x) c) c.
Proof. intros ρ x c N σ k; simpl; rewrite bind_same, eval_unused by auto; auto. Qed.

Lemma less_says : forall ρ x c, ~ In x (names c) ->
  says_at_most ρ x (Rel Less (Var x) c) (Bin Sub c (Num 1)).
Proof.
  intros ρ x c N σ k; simpl; rewrite bind_same, eval_unused by auto.
  destruct (Z.ltb_spec k (eval ρ σ c)), (Z.leb_spec k (eval ρ σ c - 1)); auto; lia.
Qed.

Theorem join_equal : forall ρ x lo hi c A
  (index_not_in_bounds : ~ In x (names c))
  (bound_kept : apart (writes ρ (For x lo hi A)) (reads ρ c)),
  equal ρ (For x lo hi (If (Rel Equal (Var x) c) A Null)) (For x (Bin Max lo c) (Bin Min hi c) A).
Proof.
  intros ρ x lo hi c A N K σ; rewrite <- (join_within ρ x lo hi c c A); auto.
  - simpl; apply run_ext; intros k τ _; rewrite bind_same.
    generalize (eval (bind x k ρ) τ c); intro m.
    destruct (Z.eqb_spec k m), (Z.leb_spec m k), (Z.leb_spec k m); auto; lia.
  - intros l W [L | L]; apply (K l); auto.
Qed.

(* ---- any monotone condition ---- *)

(* Once true, true in all later iterations. *)
Definition rises (p : Z -> bool) (a b : Z) : Prop := forall j k, a <= j <= k -> k <= b -> p j = true -> p k = true.

(* The first number from low on with a property; high if there is none below it. Halving, as the optimizer does. *)
Fixpoint search (p : Z -> bool) (low high : Z) (fuel : nat) : Z :=
  match fuel with
  | O => low
  | S n =>
      if high <=? low then low
      else let mid := (low + high) / 2 in
           if p mid then search p low mid n else search p (mid + 1) high n
  end.

Theorem search_finds : forall fuel p low high,
  low <= high -> high - low < 2 ^ Z.of_nat fuel -> rises p low (high - 1) ->
  low <= search p low high fuel <= high /\
  forall k, low <= k < high -> p k = (search p low high fuel <=? k).
Proof.
  induction fuel; intros p low high L F R.
  - simpl in *; split; intros; lia.
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r in F by lia.
    simpl search; destruct (Z.leb_spec high low); [split; intros; lia |].
    set (mid := (low + high) / 2).
    assert (M : low <= mid < high) by (split; [apply Z.div_le_lower_bound | apply Z.div_lt_upper_bound]; lia).
    assert (H1 : mid - low < 2 ^ Z.of_nat fuel) by (unfold mid; enough (2 * ((low + high) / 2) <= low + high)
      by lia; apply Z.mul_div_le; lia).
    assert (H2 : high - (mid + 1) < 2 ^ Z.of_nat fuel) by (unfold mid;
      enough (low + high < 2 * ((low + high) / 2 + 1)) by lia; pose proof (Z.mul_succ_div_gt (low + high) 2); lia).
    destruct (p mid) eqn:P.
    + destruct (IHfuel p low mid) as [B S]; try lia; [intros j k; intros; apply (R j k); auto; lia |].
      split; [lia |]; intros k K; destruct (Z.lt_ge_cases k mid); [apply S; lia |].
      rewrite (R mid k) by (auto; lia); symmetry; apply Z.leb_le; lia.
    + destruct (IHfuel p (mid + 1) high) as [B S]; try lia; [intros j k; intros; apply (R j k); auto; lia |].
      split; [lia |]; intros k K; destruct (Z.le_gt_cases k mid); [| apply S; lia].
      destruct (p k) eqn:Q; [rewrite (R k mid) in P by (auto; lia); discriminate |].
      symmetry; apply Z.leb_gt; lia.
Qed.

(* A rising condition cuts a loop in two; the cut is what the search finds at entry. *)
Theorem monotone_join : forall ρ x lo hi b A B fuel
  (condition_monotone : forall σ, rises (fun k => holds (bind x k ρ) σ b) (eval ρ σ lo) (eval ρ σ hi))
  (condition_kept : forall k l, reached ρ lo hi k -> reads_b (bind x k ρ) b l ->
     ~ writes ρ (For x lo hi (Seq A B)) l)
  (search_long_enough : forall σ, eval ρ σ hi + 1 - eval ρ σ lo < 2 ^ Z.of_nat fuel),
  forall σ, let a := eval ρ σ lo in let h := eval ρ σ hi in
  let cut := search (fun k => holds (bind x k ρ) σ b) a (Z.max a (h + 1)) fuel in
  exec ρ (For x lo hi (If b A B)) σ =
  run (fun k => exec (bind x k ρ) A) cut (trips cut h)
    (run (fun k => exec (bind x k ρ) B) a (trips a (cut - 1)) σ).
Proof.
  intros ρ x lo hi b A B fuel M K F σ; cbv zeta.
  set (a := eval ρ σ lo); set (h := eval ρ σ hi); set (p := fun k => holds (bind x k ρ) σ b).
  set (cut := search p a (Z.max a (h + 1)) fuel).
  specialize (F σ); fold a h in F.
  assert (X : a <= cut <= Z.max a (h + 1) /\ forall k, a <= k < Z.max a (h + 1) -> p k = (cut <=? k)).
  { apply search_finds; [lia | |].
    - destruct (Z.max_spec a (h + 1)) as [[? ->] | [? ->]]; [lia |].
      rewrite Z.sub_diag; apply Z.pow_pos_nonneg; lia.
    - intros j k J L; apply (M σ j k); fold a h; lia. }
  destruct X as [C S].
  destruct (Z.le_gt_cases a h) as [L | L].
  2: { simpl; fold a h; rewrite !trips_none by lia; auto. }
  rewrite exec_for; fold a h.
  transitivity (run (fun k τ => if cut <=? k then exec (bind x k ρ) A τ else exec (bind x k ρ) B τ)
                  a (trips a h) σ).
  - (* The condition means the same all along. *)
    apply (run_relates (fun α β => α = β /\ forall k, a <= k <= h -> holds (bind x k ρ) α b = p k)).
    2: { split; auto. }
    intros k α β J [<- H]; apply trips_in in J; simpl.
    assert (R : forall j, a <= j <= h -> reached ρ lo hi j) by (intros; exists σ; fold a h; auto).
    rewrite (H k J), (S k) by lia.
    split; [destruct (cut <=? k); auto |].
    intros j J'; rewrite <- (H j J').
    destruct (cut <=? k); apply truth_agrees; intros l N; apply unset_stays; intro W;
      apply (K j l); auto; exists k; split; auto; [left | right]; auto.
  - rewrite (run_split _ a (cut - 1) h) by lia.
    replace (cut - 1 + 1) with cut by lia.
    rewrite (run_ext _ (fun k => exec (bind x k ρ) B) (trips a (cut - 1))).
    + apply run_ext; intros k τ J; apply trips_in in J; destruct (Z.leb_spec cut k); auto; lia.
    + intros k τ J; apply trips_in in J; destruct (Z.leb_spec cut k); auto; lia.
Qed.

(* ---- index-set splitting, peeling, strips ---- *)

Theorem index_set_splitting : forall ρ x lo hi m A
  (bounds_kept : apart (writes ρ (For x lo hi A)) (fun l => bounds_read ρ lo hi l \/ reads ρ m l)),
  equal ρ (For x lo hi A)
          (Seq (For x lo (Bin Min m hi) A) (For x (Bin Max lo (Bin Add m (Num 1))) hi A)).
Proof.
  intros ρ x lo hi m A K σ.
  assert (W : apart (writes ρ (For x lo (Bin Min m hi) A)) (fun l => bounds_read ρ lo hi l \/ reads ρ m l)).
  { intros l (k & [τ R] & L); apply K; exists k; split; auto; exists τ; simpl in R; lia. }
  change (exec ρ (For x lo hi A) σ =
    exec ρ (For x (Bin Max lo (Bin Add m (Num 1))) hi A) (exec ρ (For x lo (Bin Min m hi) A) σ)).
  set (τ := exec ρ (For x lo (Bin Min m hi) A) σ).
  assert (E : forall s, (forall l, reads ρ s l -> bounds_read ρ lo hi l \/ reads ρ m l) ->
              eval ρ τ s = eval ρ σ s).
  { intros s I; apply value_survives; intros l L M; apply (W l); auto. }
  rewrite !exec_for; simpl eval; rewrite !(E lo), !(E hi), !(E m) by (unfold bounds_read; auto).
  unfold τ; rewrite exec_for; simpl eval.
  generalize (fun k => exec (bind x k ρ) A); intro f.
  generalize (eval ρ σ lo) as a, (eval ρ σ hi) as b, (eval ρ σ m) as c; intros a b c.
  destruct (Z.le_gt_cases (a - 1) b); [| rewrite !trips_none by lia; auto].
  rewrite (run_split f a (Z.max (a - 1) (Z.min c b)) b) by lia.
  replace (trips a (Z.max (a - 1) (Z.min c b))) with (trips a (Z.min c b)) by (unfold trips; lia).
  destruct (Z.le_gt_cases c b).
  - replace (Z.max (a - 1) (Z.min c b) + 1) with (Z.max a (c + 1)) by lia; auto.
  - rewrite (trips_none (Z.max a (c + 1)) b), (trips_none (_ + 1) b) by lia; auto.
Qed.

(* A loop of one iteration is its body. *)
Theorem single_iteration : forall ρ x s A
  (value_kept : apart (writes ρ (For x s s A)) (reads ρ s))
  (no_capture : disjoint (bound A) (names s)),
  equal ρ (For x s s A) (subst x s A).
Proof.
  intros ρ x s A K C σ; simpl.
  replace (trips (eval ρ σ s) (eval ρ σ s)) with 1%nat by (unfold trips; lia); simpl.
  symmetry; apply (substitute A x s ρ ρ); auto.
  intros l L; apply K; exists (eval ρ σ s); split; auto; exists σ; lia.
Qed.

(* Strips of n iterations, the last one cut off at the bound. *)
Theorem strip_mining : forall ρ x t lo hi n A
  (strip_positive : 0 < n)
  (index_new : x <> t /\ ~ In t (uses A) /\ ~ In t (names lo) /\ ~ In t (names hi))
  (bounds_kept : apart (writes ρ (For x lo hi A)) (bounds_read ρ lo hi)),
  let start := Bin Add lo (Bin Mul (Var t) (Num n)) in
  equal ρ (For x lo hi A)
          (For t (Num 0) (Bin Div (Bin Sub hi lo) (Num n))
             (For x start (Bin Min hi (Bin Add start (Num (n - 1)))) A)).
Proof.
  intros ρ x t lo hi n A P (D & U & Nl & Nh) K start σ.
  rewrite !exec_for; simpl eval.
  set (a := eval ρ σ lo) in *; set (b := eval ρ σ hi) in *.
  set (f := fun k => exec (bind x k ρ) A).
  pose (g i := run f (a + i * n) (trips (a + i * n) (Z.min b (a + i * n + (n - 1))))).
  transitivity (run g 0 (trips 0 ((b - a) / n)) σ).
  - assert (X : forall m τ, (Z.of_nat m - 1) <= (b - a) / n ->
      run g 0 m τ = run f a (trips a (Z.min b (a + Z.of_nat m * n - 1))) τ).
    { induction m; intros τ M.
      - rewrite trips_none by lia; auto.
      - rewrite run_one_more, IHm by lia; unfold g.
        rewrite (run_split f a (a + Z.of_nat m * n - 1) (Z.min b (a + Z.of_nat (S m) * n - 1)));
          rewrite Nat2Z.inj_succ in *.
        + replace (0 + Z.of_nat m) with (Z.of_nat m) by lia.
          assert (B : Z.of_nat m * n <= b - a).
          { transitivity ((b - a) / n * n); [apply Z.mul_le_mono_nonneg_r; lia |].
            rewrite Z.mul_comm; apply Z.mul_div_le; lia. }
          replace (Z.min b (a + Z.of_nat m * n - 1)) with (a + Z.of_nat m * n - 1) by lia.
          f_equal; [lia | unfold trips; f_equal; nia].
        + assert (B : Z.of_nat m * n <= b - a).
          { transitivity ((b - a) / n * n); [apply Z.mul_le_mono_nonneg_r; lia |].
            rewrite Z.mul_comm; apply Z.mul_div_le; lia. }
          nia. }
    destruct (Z.le_gt_cases a b) as [L | L].
    + assert (0 <= (b - a) / n) by (apply Z.div_pos; lia).
      rewrite X by (unfold trips; lia); f_equal; unfold trips; f_equal.
      pose proof (Z.mul_succ_div_gt (b - a) n P); nia.
    + assert ((b - a) / n < 0) by (apply Z.div_lt_upper_bound; lia).
      rewrite !trips_none by lia; auto.
  - apply (run_relates (fun α β => α = β /\ eval ρ α lo = a /\ eval ρ α hi = b)); [| split; auto].
    intros i α β I (<- & Ea & Eb); apply trips_in in I; simpl.
    rewrite bind_same, !eval_unused, Ea, Eb by auto.
    assert (H : forall k, a + i * n <= k <= Z.min b (a + i * n + (n - 1)) -> reached ρ lo hi k).
    { intros k Hk; exists σ; fold a b; nia. }
    assert (Q : forall τ, eval ρ τ lo = a /\ eval ρ τ hi = b -> eval ρ (g i τ) lo = a /\ eval ρ (g i τ) hi = b).
    { intros τ; apply (run_keeps (fun τ => eval ρ τ lo = a /\ eval ρ τ hi = b)).
      intros k ν Hk [Va Vb]; apply trips_in in Hk; unfold f.
      rewrite !value_survives; auto; intros l L M; apply (K l); unfold bounds_read; auto;
        exists k; split; auto. }
    split; auto.
    unfold g; apply run_ext; intros k τ Hk; unfold f.
    rewrite (bind_commute x t) by auto; symmetry; apply exec_unused; auto.
Qed.
