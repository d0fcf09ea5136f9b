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

(* A condition keeps its truth, for all indices, while a body runs that sets nothing it reads. *)
Definition condition_unset (ρ : env) (x : name) (lo hi : expr) (b : bexp) (A : stat) : Prop :=
  forall k, reached ρ lo hi k -> apart (writes ρ (For x lo hi A)) (reads_b (bind x k ρ) b).

Lemma condition_survives : forall ρ x lo hi b A, condition_unset ρ x lo hi b A ->
  forall j k τ, reached ρ lo hi j -> reached ρ lo hi k ->
  holds (bind x j ρ) (exec (bind x k ρ) A τ) b = holds (bind x j ρ) τ b.
Proof. intros ρ x lo hi b A K j k τ J R; apply truth_survives; intros l L; apply (K j); auto; exists k; auto. Qed.

(* So a loop over a test runs as if the test were made on the indices, before the loop. *)
Lemma test_at_entry : forall ρ x lo hi b A B σ p,
  condition_unset ρ x lo hi b A -> condition_unset ρ x lo hi b B ->
  (forall k, eval ρ σ lo <= k <= eval ρ σ hi -> holds (bind x k ρ) σ b = p k) ->
  exec ρ (For x lo hi (If b A B)) σ =
  run (fun k τ => if (p k : bool) then exec (bind x k ρ) A τ else exec (bind x k ρ) B τ)
    (eval ρ σ lo) (trips (eval ρ σ lo) (eval ρ σ hi)) σ.
Proof.
  intros ρ x lo hi b A B σ p KA KB P; rewrite exec_for.
  assert (R : forall k, eval ρ σ lo <= k <= eval ρ σ hi -> reached ρ lo hi k) by (intros; exists σ; auto).
  apply (run_relates (fun α β => α = β /\
    forall k, eval ρ σ lo <= k <= eval ρ σ hi -> holds (bind x k ρ) α b = p k)); auto.
  intros k α β J [<- H]; apply trips_in in J; simpl; rewrite (H k J); split; auto.
  intros j J'; rewrite <- (H j J'); destruct (p k); eapply condition_survives; eauto.
Qed.

Lemma nothing_unset : forall ρ x lo hi b, condition_unset ρ x lo hi b Null.
Proof. intros ρ x lo hi b k R l (j & _ & []). Qed.

(* ---- 5.4.1 ---- *)

(* The condition holds in the iterations first .. last and in no others. *)
Definition holds_between (ρ : env) (x : name) (lo hi : expr) (b : bexp) (first last : expr) : Prop :=
  forall σ k, eval ρ σ lo <= k <= eval ρ σ hi ->
  holds (bind x k ρ) σ b = (eval ρ σ first <=? k) && (k <=? eval ρ σ last).

(* One run of iterations: the loop is cut to it. *)
Theorem condition_joining : forall ρ x lo hi b first last A
  (condition_kept : condition_unset ρ x lo hi b A)
  (one_run : holds_between ρ x lo hi b first last),
  equal ρ (For x lo hi (If b A Null)) (For x (Bin Max lo first) (Bin Min hi last) A).
Proof.
  intros ρ x lo hi b first last A K S σ.
  rewrite (test_at_entry ρ x lo hi b A Null σ
    (fun k => (eval ρ σ first <=? k) && (k <=? eval ρ σ last))); auto using nothing_unset.
  rewrite exec_for; simpl eval.
  rewrite <- (run_from (fun k τ => if eval ρ σ first <=? k then exec (bind x k ρ) A τ else τ)); auto.
  apply run_to; intros k τ _.
  destruct (_ <=? _), (_ <=? _); auto.
Qed.

(* As printed, for comparisons; the kinds of comparison are below. *)
Corollary loop_conditional_joining : forall ρ x lo hi b first last A
  (condition_kept : condition_unset ρ x lo hi b A)
  (index_alone : holds_between ρ x lo hi b first last),
  equal ρ (For x lo hi (If b A Null)) (For x (Bin Max lo first) (Bin Min hi last) A).
Proof. intros; apply condition_joining; auto. Qed.

Lemma at_least_is_span : forall ρ x lo hi c, ~ In x (names c) ->
  holds_between ρ x lo hi (Rel AtLeast (Var x) c) c hi.
Proof. intros ρ x lo hi c N σ k K; simpl; rewrite bind_same, eval_unused, Z.geb_leb by auto; lia. Qed.

Lemma greater_is_span : forall ρ x lo hi c, ~ In x (names c) ->
  holds_between ρ x lo hi (Rel Greater (Var x) c) (Bin Add c (Num 1)) hi.
Proof. intros ρ x lo hi c N σ k K; simpl; rewrite bind_same, eval_unused, Z.gtb_ltb by auto; lia. Qed.

Lemma at_most_is_span : forall ρ x lo hi c, ~ In x (names c) ->
  holds_between ρ x lo hi (Rel AtMost (Var x) c) lo c.
Proof. intros ρ x lo hi c N σ k K; simpl; rewrite bind_same, eval_unused by auto; lia. Qed.

Lemma less_is_span : forall ρ x lo hi c, ~ In x (names c) ->
  holds_between ρ x lo hi (Rel Less (Var x) c) lo (Bin Sub c (Num 1)).
Proof. intros ρ x lo hi c N σ k K; simpl; rewrite bind_same, eval_unused by auto; lia. Qed.

Lemma equal_is_span : forall ρ x lo hi c, ~ In x (names c) ->
  holds_between ρ x lo hi (Rel Equal (Var x) c) c c.
Proof. intros ρ x lo hi c N σ k K; simpl; rewrite bind_same, eval_unused by auto; lia. Qed.

Lemma within_is_span : forall ρ x lo hi c d, ~ In x (names c) -> ~ In x (names d) ->
  holds_between ρ x lo hi (Within (Var x) c d) c d.
Proof. intros ρ x lo hi c d C D σ k K; simpl; rewrite bind_same, !eval_unused by auto; lia. Qed.

(* Two arms: the part before, the part in which the condition holds, and the part after, in their order. The bounds are
   clamped, so that the parts never overlap; `last` is the first iteration behind the run. *)
Theorem loop_cutting : forall ρ x lo hi b first last A B
  (condition_kept : condition_unset ρ x lo hi b A /\ condition_unset ρ x lo hi b B)
  (bounds_kept : apart (fun l => writes ρ (For x lo hi A) l \/ writes ρ (For x lo hi B) l)
                       (fun l => reads ρ hi l \/ reads ρ first l \/ reads ρ last l))
  (one_run : holds_between ρ x lo hi b first (Bin Sub last (Num 1)))
  (shape_first : forall σ, eval ρ σ lo <= eval ρ σ first),
  let f := Bin Min first (Bin Add hi (Num 1)) in
  let l := Bin Max (Bin Min last (Bin Add hi (Num 1))) f in
  equal ρ (For x lo hi (If b A B))
          (Seq (For x lo (Bin Sub f (Num 1)) B) (Seq (For x f (Bin Sub l (Num 1)) A) (For x l hi B))).
Proof.
  intros ρ x lo hi b first last A B [KA KB] K S F f l σ.
  rewrite (test_at_entry ρ x lo hi b A B σ
    (fun k => (eval ρ σ first <=? k) && (k <=? eval ρ σ last - 1)) KA KB (S σ)).
  specialize (F σ).
  rewrite !exec_seq.
  set (α := exec ρ (For x lo (Bin Sub f (Num 1)) B) σ).
  set (β := exec ρ (For x f (Bin Sub l (Num 1)) A) α).
  set (a := eval ρ σ lo) in *; set (h := eval ρ σ hi) in *.
  set (p := eval ρ σ first) in *; set (q := eval ρ σ last) in *.
  (* The bounds keep their values through the first two parts. *)
  assert (Eα : eval ρ α hi = h /\ eval ρ α first = p /\ eval ρ α last = q).
  { unfold α; rewrite exec_for; apply (run_keeps (fun τ => eval ρ τ hi = h /\ eval ρ τ first = p /\ eval ρ τ last = q));
      [| split; auto].
    intros k τ J (V1 & V2 & V3); apply trips_in in J; simpl in J; fold a p h in J.
    rewrite !value_survives; auto; intros m M N; apply (K m); auto; right; exists k; split; auto;
      exists σ; fold a h; lia. }
  destruct Eα as (Eh & Ep & Eq).
  assert (Eβ : eval ρ β hi = h /\ eval ρ β first = p /\ eval ρ β last = q).
  { unfold β; rewrite exec_for; apply (run_keeps (fun τ => eval ρ τ hi = h /\ eval ρ τ first = p /\ eval ρ τ last = q));
      [| split; auto].
    intros k τ J (V1 & V2 & V3); apply trips_in in J; simpl in J; rewrite Eh, Ep, Eq in J.
    rewrite !value_survives; auto; intros m M N; apply (K m); auto; left; exists k; split; auto;
      exists σ; fold a h; lia. }
  destruct Eβ as (Fh & Fp & Fq).
  rewrite exec_for; simpl eval; rewrite Fh, Fp, Fq.
  unfold β; rewrite exec_for; simpl eval; rewrite Eh, Ep, Eq.
  unfold α; rewrite exec_for; simpl eval; fold a h p.
  clearbody a h p q; clear - F.
  set (u := Z.min p (h + 1)); set (v := Z.max (Z.min q (h + 1)) u).
  destruct (Z.le_gt_cases a (h + 1)) as [L | L].
  - rewrite (run_split _ a (u - 1) h), (run_split _ (u - 1 + 1) (v - 1) h) by lia.
    replace (u - 1 + 1) with u by lia; replace (v - 1 + 1) with v by lia.
    rewrite (run_ext _ (fun k => exec (bind x k ρ) B) (trips v h)),
      (run_ext _ (fun k => exec (bind x k ρ) A) (trips u (v - 1))),
      (run_ext _ (fun k => exec (bind x k ρ) B) (trips a (u - 1))); auto;
      intros k τ J; apply trips_in in J;
      destruct (Z.leb_spec p k), (Z.leb_spec k (q - 1)); simpl; auto; lia.
  - rewrite !trips_none by lia; auto.
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
Theorem monotone_cut : forall ρ x lo hi b A B fuel
  (condition_monotone : forall σ, rises (fun k => holds (bind x k ρ) σ b) (eval ρ σ lo) (eval ρ σ hi))
  (condition_kept : condition_unset ρ x lo hi b A /\ condition_unset ρ x lo hi b B)
  (search_long_enough : forall σ, eval ρ σ hi + 1 - eval ρ σ lo < 2 ^ Z.of_nat fuel),
  forall σ, let a := eval ρ σ lo in let h := eval ρ σ hi in
  let cut := search (fun k => holds (bind x k ρ) σ b) a (Z.max a (h + 1)) fuel in
  exec ρ (For x lo hi (If b A B)) σ =
  run (fun k => exec (bind x k ρ) A) cut (trips cut h)
    (run (fun k => exec (bind x k ρ) B) a (trips a (cut - 1)) σ).
Proof.
  intros ρ x lo hi b A B fuel M [KA KB] F σ; cbv zeta.
  set (a := eval ρ σ lo); set (h := eval ρ σ hi); set (p := fun k => holds (bind x k ρ) σ b).
  set (cut := search p a (Z.max a (h + 1)) fuel).
  specialize (F σ); fold a h in F.
  assert (X : a <= cut <= Z.max a (h + 1) /\ forall k, a <= k < Z.max a (h + 1) -> p k = (cut <=? k)).
  { apply search_finds; [lia | |].
    - destruct (Z.max_spec a (h + 1)) as [[? ->] | [? ->]]; [lia |].
      rewrite Z.sub_diag; apply Z.pow_pos_nonneg; lia.
    - intros j k J L; apply (M σ j k); fold a h; lia. }
  destruct X as [C S].
  rewrite (test_at_entry ρ x lo hi b A B σ (fun k => cut <=? k)); auto.
  2: { intros k J; apply S; fold a h in J; lia. }
  fold a h; destruct (Z.le_gt_cases a h) as [L | L].
  2: { rewrite !trips_none by lia; auto. }
  rewrite (run_split _ a (cut - 1) h) by lia.
  replace (cut - 1 + 1) with cut by lia.
  rewrite (run_ext _ (fun k => exec (bind x k ρ) B) (trips a (cut - 1))).
  - apply run_ext; intros k τ J; apply trips_in in J; destruct (Z.leb_spec cut k); auto; lia.
  - intros k τ J; apply trips_in in J; destruct (Z.leb_spec cut k); auto; lia.
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

(* The same at a number that is known to lie between the bounds. *)
Corollary loop_in_parts : forall ρ x lo hi m A
  (in_range : forall σ, eval ρ σ lo - 1 <= eval ρ σ m <= eval ρ σ hi)
  (bounds_unchanged : apart (writes ρ (For x lo hi A)) (fun l => bounds_read ρ lo hi l \/ reads ρ m l)),
  equal ρ (For x lo hi A) (Seq (For x lo m A) (For x (Bin Add m (Num 1)) hi A)).
Proof.
  intros ρ x lo hi m A R K σ; rewrite (index_set_splitting ρ x lo hi m A K).
  simpl; rewrite Z.min_l by apply R; set (τ := run _ _ _ σ).
  specialize (R τ); rewrite Z.max_r by lia; auto.
Qed.

(* The first or the last iteration by itself, if there is one. *)
Theorem peeling : forall ρ x lo hi A
  (legal_no_capture : disjoint (bound A) (names lo) /\ disjoint (bound A) (names hi))
  (bounds_unchanged : apart (writes ρ (For x lo hi A)) (bounds_read ρ lo hi)),
  equal ρ (For x lo hi A)
          (If (Rel AtMost lo hi) (Seq (subst x lo A) (For x (Bin Add lo (Num 1)) hi A)) Null) /\
  equal ρ (For x lo hi A)
          (If (Rel AtMost lo hi) (Seq (For x lo (Bin Sub hi (Num 1)) A) (subst x hi A)) Null).
Proof. intros; apply unroll_tested; auto. Qed.

(* Strips of n iterations, the last one cut off at the bound. *)
Definition strip (f : Z -> state -> state) (a b n i : Z) : state -> state :=
  run f (a + i * n) (trips (a + i * n) (Z.min b (a + i * n + (n - 1)))).

Lemma run_strips : forall f a b n σ, 0 < n ->
  run f a (trips a b) σ = run (strip f a b n) 0 (trips 0 ((b - a) / n)) σ.
Proof.
  intros f a b n σ P.
  assert (X : forall m τ, (Z.of_nat m - 1) <= (b - a) / n ->
    run (strip f a b n) 0 m τ = run f a (trips a (Z.min b (a + Z.of_nat m * n - 1))) τ).
  { induction m; intros τ M.
    - rewrite trips_none by lia; auto.
    - rewrite run_one_more, IHm by lia; unfold strip; rewrite Nat2Z.inj_succ in *.
      assert (B : Z.of_nat m * n <= b - a).
      { transitivity ((b - a) / n * n); [apply Z.mul_le_mono_nonneg_r; lia |].
        rewrite Z.mul_comm; apply Z.mul_div_le; lia. }
      rewrite (run_split f a (a + Z.of_nat m * n - 1) (Z.min b (a + Z.succ (Z.of_nat m) * n - 1))) by nia.
      replace (0 + Z.of_nat m) with (Z.of_nat m) by lia.
      replace (Z.min b (a + Z.of_nat m * n - 1)) with (a + Z.of_nat m * n - 1) by lia.
      f_equal; [lia | unfold trips; f_equal; nia]. }
  destruct (Z.le_gt_cases a b) as [L | L].
  - assert (0 <= (b - a) / n) by (apply Z.div_pos; lia).
    rewrite X by (unfold trips; lia); f_equal; unfold trips; f_equal.
    pose proof (Z.mul_succ_div_gt (b - a) n P); nia.
  - assert ((b - a) / n < 0) by (apply Z.div_lt_upper_bound; lia).
    rewrite !trips_none by lia; auto.
Qed.

Theorem strip_mining : forall ρ x t lo hi n A
  (legal_index_new : x <> t /\ ~ In t (uses A) /\ ~ In t (names lo) /\ ~ In t (names hi))
  (positive_size : 0 < n)
  (bounds_unchanged : apart (writes ρ (For x lo hi A)) (bounds_read ρ lo hi)),
  let start := Bin Add lo (Bin Mul (Var t) (Num n)) in
  equal ρ (For x lo hi A)
          (For t (Num 0) (Bin Div (Bin Sub hi lo) (Num n))
             (For x start (Bin Min hi (Bin Add start (Num (n - 1)))) A)).
Proof.
  intros ρ x t lo hi n A (D & U & Nl & Nh) P K start σ.
  set (a := eval ρ σ lo); set (b := eval ρ σ hi); set (f := fun k => exec (bind x k ρ) A).
  pose (I τ := eval ρ τ lo = a /\ eval ρ τ hi = b).
  assert (S : forall k τ, a <= k <= b -> I τ -> I (f k τ)).
  { intros k τ H [Ea Eb]; unfold I, f; rewrite !value_survives; auto;
      intros l L M; apply (K l); unfold bounds_read; auto; exists k; split; auto; exists σ; auto. }
  rewrite exec_for; fold a b f; rewrite (run_strips f a b n) by auto; symmetry.
  apply (for_in_step I); [| | split; auto].
  - intros τ [Ea Eb]; simpl; rewrite Ea, Eb; auto.
  - intros i τ H J; apply (for_in_step I); auto.
    + intros ν [Ea Eb]; simpl; rewrite bind_same, !eval_unused, Ea, Eb by auto; auto.
    + intros k ν Hk Jk; split; [| apply S; auto; nia].
      unfold f; rewrite bind_commute by auto; apply exec_unused; auto.
Qed.

(* ---- tiles ---- *)

Lemma runs_commute : forall f g n m a c σ,
  (forall i j τ, a <= i < a + Z.of_nat n -> c <= j < c + Z.of_nat m -> f i (g j τ) = g j (f i τ)) ->
  run f a n (run g c m σ) = run g c m (run f a n σ).
Proof.
  induction n; intros m a c σ C; simpl; auto.
  assert (E : f a (run g c m σ) = run g c m (f a σ)).
  { assert (H : forall p τ, (p <= m)%nat -> f a (run g c p τ) = run g c p (f a τ)).
    { induction p; intros τ L; auto; rewrite !run_one_more, C, IHp; auto; lia. }
    auto. }
  rewrite E; apply IHn; intros; apply C; lia.
Qed.

Lemma run_tiles : forall f a b c d n m σ, 0 < n -> 0 < m ->
  (forall i i' j j' τ, a <= i < i' -> i' <= b -> c <= j < j' -> j' <= d ->
     f i' j (f i j' τ) = f i j' (f i' j τ)) ->
  run (fun i => run (f i) c (trips c d)) a (trips a b) σ =
  run (fun t => run (fun u => strip (fun i => strip (f i) c d m u) a b n t) 0 (trips 0 ((d - c) / m)))
    0 (trips 0 ((b - a) / n)) σ.
Proof.
  intros f a b c d n m σ N M C; rewrite (run_strips _ a b n) by auto; apply run_ext; intros t τ T.
  apply trips_in in T; unfold strip at 1.
  rewrite (run_ext _ (fun i => run (strip (f i) c d m) 0 (trips 0 ((d - c) / m))))
    by (intros; apply run_strips; auto).
  rewrite run_exchange; auto.
  intros i i' j j' ν H H' J J'.
  assert (L : a + t * n <= i' <= Z.min b (a + t * n + (n - 1))) by (apply trips_in; lia).
  unfold strip; apply runs_commute; intros p q μ Hp Hq; apply trips_in in Hp, Hq.
  apply C; nia.
Qed.

(* Both loops in strips, and the strips of the inner one around those of the outer. *)
Theorem tiling : forall ρ x y t u lo hi lo' hi' n m A
  (legal_indices : x <> y /\ x <> t /\ x <> u /\ y <> t /\ y <> u /\ t <> u)
  (legal_blocks_new : forall z, z = t \/ z = u -> ~ In z (uses A) /\
     ~ In z (names lo) /\ ~ In z (names hi) /\ ~ In z (names lo') /\ ~ In z (names hi'))
  (legal_inner_index_inside : ~ In y (names lo) /\ ~ In y (names hi))
  (positive_size : 0 < n /\ 0 < m)
  (bounds_unchanged : apart (fun l => exists j k, writes (bind y k (bind x j ρ)) A l)
                            (fun l => bounds_read ρ lo hi l \/ bounds_read ρ lo' hi' l))
  (rectangular : ~ In x (names lo') /\ ~ In x (names hi'))
  (iterations_interchangeable : forall i i' j j', reached ρ lo hi i -> reached ρ lo hi i' -> i < i' ->
     reached ρ lo' hi' j -> reached ρ lo' hi' j' -> j < j' -> forall σ,
     let body m n := exec (bind y n (bind x m ρ)) A in
     body i' j (body i j' σ) = body i j' (body i' j σ)),
  let start := Bin Add lo (Bin Mul (Var t) (Num n)) in
  let start' := Bin Add lo' (Bin Mul (Var u) (Num m)) in
  equal ρ (For x lo hi (For y lo' hi' A))
          (For t (Num 0) (Bin Div (Bin Sub hi lo) (Num n))
             (For u (Num 0) (Bin Div (Bin Sub hi' lo') (Num m))
                (For x start (Bin Min hi (Bin Add start (Num (n - 1))))
                   (For y start' (Bin Min hi' (Bin Add start' (Num (m - 1)))) A)))).
Proof.
  intros ρ x y t u lo hi lo' hi' n m A (Dxy & Dxt & Dxu & Dyt & Dyu & Dtu) New [Yl Yh] [N M] K [Xl Xh] C
    start start' σ.
  destruct (New t (or_introl eq_refl)) as (Ut & Tl & Th & Tl' & Th').
  destruct (New u (or_intror eq_refl)) as (Uu & Ul & Uh & Ul' & Uh').
  set (a := eval ρ σ lo); set (b := eval ρ σ hi); set (c := eval ρ σ lo'); set (d := eval ρ σ hi').
  set (body i j := exec (bind y j (bind x i ρ)) A).
  pose (I τ := (eval ρ τ lo = a /\ eval ρ τ hi = b) /\ (eval ρ τ lo' = c /\ eval ρ τ hi' = d)).
  assert (Iσ : I σ) by (unfold I; auto).
  assert (S : forall i j τ, I τ -> I (body i j τ)).
  { intros i j τ [[Ea Eb] [Ec Ed]]; unfold I, body.
    repeat split; rewrite value_survives; auto; intros l L R; apply (K l); unfold bounds_read; eauto. }
  transitivity (run (fun i => run (body i) c (trips c d)) a (trips a b) σ).
  - apply (for_in_step I); auto; [intros τ [E _]; auto |].
    intros i τ _ J; apply (for_in_step I); auto.
    intros ν [_ [Ec Ed]]; rewrite !eval_unused; auto.
  - rewrite (run_tiles body a b c d n m) by
      (auto; intros; apply C; try lia; exists σ; fold a b c d; lia).
    symmetry; apply (for_in_step I); auto.
    { intros τ [[Ea Eb] _]; simpl; rewrite Ea, Eb; auto. }
    intros k τ _ J1; apply (for_in_step I); auto.
    { intros ν [_ [Ec Ed]]; simpl; rewrite !eval_unused, Ec, Ed by auto; auto. }
    intros v ν _ J2; apply (for_in_step I); auto.
    { intros μ [[Ea Eb] _]; simpl.
      rewrite bind_other, bind_same, !eval_unused, Ea, Eb by auto; auto. }
    intros i μ _ J3; apply (for_in_step I); auto.
    { intros κ [_ [Ec Ed]]; simpl.
      rewrite bind_other, bind_same, !eval_unused, Ec, Ed by auto; auto. }
    intros j κ _ J4; split; auto.
    unfold body; apply exec_env; intros z Z; unfold bind.
    destruct (string_dec y z), (string_dec x z), (string_dec u z), (string_dec t z); subst; auto; contradiction.
Qed.
