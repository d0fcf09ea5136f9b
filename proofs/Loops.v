(* Moves on loops: elimination and unrolling (4.3), joining and splitting (5.1), interchange (5.2), code motion (5.3).

   A condition on iterations is on the indices that the loop reaches from some state; so it says something about all
   states (G6), and loops that do not run ask for nothing. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language Footprint Substitution Statements.
Import ListNotations.
Open Scope Z_scope.

Definition bounds_read (ρ : env) (lo hi : expr) (l : loc) : Prop := reads ρ lo l \/ reads ρ hi l.

Lemma bounds_survive : forall ρ A lo hi σ, apart (writes ρ A) (bounds_read ρ lo hi) ->
  eval ρ (exec ρ A σ) lo = eval ρ σ lo /\ eval ρ (exec ρ A σ) hi = eval ρ σ hi.
Proof. unfold bounds_read; intros; split; apply value_survives; intros l L R; apply (H l); auto. Qed.

(* A loop in step with a run, as long as something holds that keeps its bounds. *)
Lemma for_in_step : forall (I : state -> Prop) ρ x lo hi A f a b,
  (forall τ, I τ -> eval ρ τ lo = a /\ eval ρ τ hi = b) ->
  (forall k τ, a <= k <= b -> I τ -> exec (bind x k ρ) A τ = f k τ /\ I (f k τ)) ->
  forall σ, I σ -> exec ρ (For x lo hi A) σ = run f a (trips a b) σ /\ I (run f a (trips a b) σ).
Proof.
  intros I ρ x lo hi A f a b E S σ H; rewrite exec_for; destruct (E σ H) as [-> ->].
  apply (run_relates (fun α β => α = β /\ I β)); auto.
  intros k α β J [-> K]; apply trips_in in J; apply S; auto.
Qed.

(* 4.3.1 *)
Theorem loop_elimination : forall ρ x lo hi A
  (no_iterations : forall σ, eval ρ σ hi < eval ρ σ lo),
  equal ρ (For x lo hi A) Null.
Proof. intros ρ x lo hi A N σ; simpl; rewrite trips_none; auto. Qed.

(* 5.2.1, for a body that does nothing. *)
Theorem loop_of_nullable_body : forall ρ x lo hi A
  (nullable : forall k, reached ρ lo hi k -> equal (bind x k ρ) A Null),
  equal ρ (For x lo hi A) Null.
Proof.
  intros ρ x lo hi A N σ; simpl; apply run_nothing; intros k τ K; apply N.
  exists σ; apply trips_in; auto.
Qed.

(* 4.3.2 with symbolic bounds, in one state: the bound that the copy is made with must survive the loop. *)
Lemma unroll_last_here : forall ρ x lo hi A σ,
  eval ρ σ lo <= eval ρ σ hi ->
  apart (writes ρ (For x lo hi A)) (reads ρ hi) ->
  disjoint (bound A) (names hi) ->
  exec ρ (For x lo hi A) σ = exec ρ (Seq (For x lo (Bin Sub hi (Num 1)) A) (subst x hi A)) σ.
Proof.
  intros ρ x lo hi A σ R K C; simpl.
  set (a := eval ρ σ lo) in *; set (b := eval ρ σ hi) in *.
  rewrite (trips_last a b), run_one_more by lia.
  set (τ := run _ a (trips a (b - 1)) σ).
  assert (E : eval ρ τ hi = b).
  { unfold τ; apply run_keeps; auto; intros k α J E; rewrite <- E; apply value_survives.
    intros l L; apply K; exists k; split; auto; exists σ; apply trips_in in J; fold a b; lia. }
  rewrite (substitute A x hi ρ ρ), E; auto.
  - f_equal; f_equal; unfold trips; lia.
  - rewrite E; intros l L; apply K; exists b; split; auto; exists σ; fold a b; lia.
Qed.

Lemma unroll_first_here : forall ρ x lo hi A σ,
  eval ρ σ lo <= eval ρ σ hi ->
  apart (writes ρ (For x lo hi A)) (bounds_read ρ lo hi) ->
  disjoint (bound A) (names lo) ->
  exec ρ (For x lo hi A) σ = exec ρ (Seq (subst x lo A) (For x (Bin Add lo (Num 1)) hi A)) σ.
Proof.
  intros ρ x lo hi A σ R K C; simpl.
  set (a := eval ρ σ lo) in *; set (b := eval ρ σ hi) in *.
  assert (W : apart (writes (bind x a ρ) A) (bounds_read ρ lo hi)).
  { intros l L; apply K; exists a; split; auto; exists σ; fold a b; lia. }
  assert (E : exec ρ (subst x lo A) σ = exec (bind x a ρ) A σ).
  { unfold a; apply (substitute A x lo ρ ρ); auto; intros l L M; apply (W l); unfold bounds_read; auto. }
  assert (El : eval ρ (exec (bind x a ρ) A σ) lo = a).
  { apply value_survives; intros l L M; apply (W l); unfold bounds_read; auto. }
  assert (Eh : eval ρ (exec (bind x a ρ) A σ) hi = b).
  { apply value_survives; intros l L M; apply (W l); unfold bounds_read; auto. }
  rewrite E, El, Eh, trips_first by lia; auto.
Qed.

Theorem unroll_last : forall ρ x lo hi A
  (legal_no_capture : disjoint (bound A) (names hi))
  (runs : forall σ, eval ρ σ lo <= eval ρ σ hi)
  (bound_kept : apart (writes ρ (For x lo hi A)) (reads ρ hi)),
  equal ρ (For x lo hi A) (Seq (For x lo (Bin Sub hi (Num 1)) A) (subst x hi A)).
Proof. intros ρ x lo hi A C R K σ; apply unroll_last_here; auto. Qed.

Theorem unroll_first : forall ρ x lo hi A
  (legal_no_capture : disjoint (bound A) (names lo))
  (runs : forall σ, eval ρ σ lo <= eval ρ σ hi)
  (bounds_kept : apart (writes ρ (For x lo hi A)) (bounds_read ρ lo hi)),
  equal ρ (For x lo hi A) (Seq (subst x lo A) (For x (Bin Add lo (Num 1)) hi A)).
Proof. intros ρ x lo hi A C R K σ; apply unroll_first_here; auto. Qed.

(* Where it is not known that there is an iteration, that can be tested: from either end. *)
Theorem unroll_tested : forall ρ x lo hi A
  (legal_no_capture : disjoint (bound A) (names lo) /\ disjoint (bound A) (names hi))
  (bounds_kept : apart (writes ρ (For x lo hi A)) (bounds_read ρ lo hi)),
  let test := Rel AtMost lo hi in
  equal ρ (For x lo hi A) (If test (Seq (subst x lo A) (For x (Bin Add lo (Num 1)) hi A)) Null) /\
  equal ρ (For x lo hi A) (If test (Seq (For x lo (Bin Sub hi (Num 1)) A) (subst x hi A)) Null).
Proof.
  intros ρ x lo hi A [Cl Ch] K test; split; intro σ; unfold test;
    destruct (Z.leb_spec (eval ρ σ lo) (eval ρ σ hi)) as [R | R].
  - rewrite unroll_first_here by auto; simpl; rewrite (proj2 (Z.leb_le _ _) R); auto.
  - simpl; rewrite (proj2 (Z.leb_gt _ _) R), trips_none; auto.
  - rewrite unroll_last_here; auto; [simpl; rewrite (proj2 (Z.leb_le _ _) R); auto |].
    intros l W L; apply (K l W); right; auto.
  - simpl; rewrite (proj2 (Z.leb_gt _ _) R), trips_none; auto.
Qed.

(* One iteration is the body at the lower bound. *)
Theorem single_iteration : forall ρ x lo hi A
  (legal_no_capture : disjoint (bound A) (names lo))
  (one_iteration : forall σ, eval ρ σ hi = eval ρ σ lo)
  (start_kept : apart (writes ρ (For x lo hi A)) (reads ρ lo)),
  equal ρ (For x lo hi A) (subst x lo A).
Proof.
  intros ρ x lo hi A C O K σ; simpl; rewrite O.
  replace (trips (eval ρ σ lo) (eval ρ σ lo)) with 1%nat by (unfold trips; lia); simpl.
  symmetry; apply (substitute A x lo ρ ρ); auto.
  intros l L; apply K; exists (eval ρ σ lo); split; auto; exists σ; rewrite O; lia.
Qed.

(* A loop over constants is all its iterations. *)
Fixpoint iterations (x : name) (A : stat) (first : Z) (count : nat) : stat :=
  match count with O => Null | S n => Seq (subst x (Num first) A) (iterations x A (first + 1) n) end.

Theorem full_unrolling : forall ρ x a b A, equal ρ (For x (Num a) (Num b) A) (iterations x A a (trips a b)).
Proof.
  intros ρ x a b A σ; simpl; generalize (trips a b) as n; intro n; revert a σ.
  induction n; intros a σ; simpl; auto; rewrite subst_constant; auto.
Qed.

(* ---- joining, splitting, interchange ---- *)

(* The last iteration of the first loop passes all of the second loop but its own. *)
Lemma run_join : forall f g n a σ,
  (forall j k τ, a <= j < k -> k < a + Z.of_nat n -> g j (f k τ) = f k (g j τ)) ->
  run g a n (run f a n σ) = run (fun k τ => g k (f k τ)) a n σ.
Proof.
  intros f g n a; induction n; intros σ I; auto.
  rewrite !run_one_more, <- IHn by (intros; apply I; lia); f_equal.
  assert (P : forall m τ, (m <= n)%nat ->
    run g a m (f (a + Z.of_nat n) τ) = f (a + Z.of_nat n) (run g a m τ)).
  { induction m; intros τ M; auto; rewrite !run_one_more, IHm, I; auto; lia. }
  apply P; auto.
Qed.

(* What the second body does in iteration j commutes with what the first does in a later one. *)
Definition later_interchangeable (ρ : env) (lo hi : expr) (x : name) (A : stat) (y : name) (B : stat) : Prop :=
  forall j k, reached ρ lo hi j -> reached ρ lo hi k -> j < k -> forall σ,
  exec (bind y j ρ) B (exec (bind x k ρ) A σ) = exec (bind x k ρ) A (exec (bind y j ρ) B σ).

(* 5.1.1. G6: in all states; G7: the first index occurs in the second body neither free nor bound. *)
Theorem loop_joining : forall ρ x y lo hi lo' hi' A B
  (same_bounds : lo' = lo /\ hi' = hi)
  (bounds_kept : apart (writes ρ (For x lo hi A)) (bounds_read ρ lo hi))
  (index_free : ~ In x (uses B) /\ ~ In x (bound B))
  (iterations_interchangeable : later_interchangeable ρ lo hi x A y B),
  equal ρ (Seq (For x lo hi A) (For y lo' hi' B)) (For x lo hi (Seq A (subst y (Var x) B))).
Proof.
  intros ρ x y lo hi lo' hi' A B [-> ->] K [U D] I σ.
  destruct (bounds_survive ρ _ lo hi σ K) as [Ea Eb].
  change (exec ρ (For y lo hi B) (exec ρ (For x lo hi A) σ) = exec ρ (For x lo hi (Seq A (subst y (Var x) B))) σ).
  rewrite (exec_for ρ y), Ea, Eb; simpl.
  rewrite (run_join (fun k => exec (bind x k ρ) A) (fun k => exec (bind y k ρ) B)).
  - apply run_ext; intros k τ _; rewrite rename; auto.
  - intros j k τ J L; apply I; try lia; exists σ; apply trips_in; lia.
Qed.

(* The reverse; both loops keep the index. *)
Theorem loop_splitting : forall ρ x lo hi A B
  (bounds_kept : apart (writes ρ (For x lo hi A)) (bounds_read ρ lo hi))
  (iterations_interchangeable : later_interchangeable ρ lo hi x A x B),
  equal ρ (For x lo hi (Seq A B)) (Seq (For x lo hi A) (For x lo hi B)).
Proof.
  intros ρ x lo hi A B K I σ.
  destruct (bounds_survive ρ _ lo hi σ K) as [Ea Eb].
  change (exec ρ (For x lo hi (Seq A B)) σ = exec ρ (For x lo hi B) (exec ρ (For x lo hi A) σ)).
  rewrite (exec_for ρ x lo hi B), Ea, Eb; simpl.
  symmetry; apply (run_join (fun k => exec (bind x k ρ) A) (fun k => exec (bind x k ρ) B)).
  intros j k τ J L; apply I; try lia; exists σ; apply trips_in; lia.
Qed.

(* Rows before columns, or columns before rows. *)
Lemma run_exchange : forall f a b n m σ,
  (forall i i' j j' τ, a <= i < i' -> i' < a + Z.of_nat n -> b <= j < j' -> j' < b + Z.of_nat m ->
     f i' j (f i j' τ) = f i j' (f i' j τ)) ->
  run (fun i => run (f i) b m) a n σ = run (fun j => run (fun i => f i j) a n) b m σ.
Proof.
  intros f a b n m; induction n; intros σ I; simpl run at 1.
  - symmetry; apply run_nothing; auto.
  - change (run (fun i => run (f i) b m) a (S n) σ = run (fun j => run (fun i => f i j) a (S n)) b m σ).
    rewrite run_one_more, IHn by (intros; apply I; lia).
    rewrite (run_join (fun j => run (fun i => f i j) a n) (fun j => f (a + Z.of_nat n) j)).
    + apply run_ext; intros j τ _; rewrite run_one_more; auto.
    + intros j k τ J L.
      assert (P : forall p, (p <= n)%nat ->
        f (a + Z.of_nat n) j (run (fun i => f i k) a p τ) = run (fun i => f i k) a p (f (a + Z.of_nat n) j τ)).
      { induction p; intros M; auto; rewrite !run_one_more, I, IHp; auto; lia. }
      apply P; auto.
Qed.

(* 5.2.2, with G7 (neither index in the other's bounds) and G6. *)
Theorem loop_interchange : forall ρ x y lo hi lo' hi' A
  (legal_indices_differ : x <> y)
  (legal_inner_index_inside : ~ In y (names lo) /\ ~ In y (names hi))
  (rectangular : ~ In x (names lo') /\ ~ In x (names hi'))
  (bounds_kept : apart (fun l => exists j k, writes (bind y k (bind x j ρ)) A l)
                       (fun l => bounds_read ρ lo hi l \/ bounds_read ρ lo' hi' l))
  (iterations_interchangeable : forall i i' j j', reached ρ lo hi i -> reached ρ lo hi i' -> i < i' ->
     reached ρ lo' hi' j -> reached ρ lo' hi' j' -> j < j' -> forall σ,
     let body m n := exec (bind y n (bind x m ρ)) A in
     body i' j (body i j' σ) = body i j' (body i' j σ)),
  equal ρ (For x lo hi (For y lo' hi' A)) (For y lo' hi' (For x lo hi A)).
Proof.
  intros ρ x y lo hi lo' hi' A D [Yl Yh] [Xl Xh] K C σ.
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
    intros ν [_ E]; rewrite !eval_unused; auto.
  - rewrite run_exchange by (intros; apply C; try lia; exists σ; apply trips_in; fold a b c d; lia).
    symmetry; apply (for_in_step I); auto; [intros τ [_ E]; auto |].
    intros j τ _ J; apply (for_in_step I); auto.
    + intros ν [E _]; rewrite !eval_unused; auto.
    + intros i ν _ J'; rewrite bind_commute; auto.
Qed.

(* ---- code motion ---- *)

(* The statement first in the body of a loop that runs. *)
Lemma code_motion_first : forall ρ x lo hi A B σ,
  eval ρ σ lo <= eval ρ σ hi ->
  ~ In x (uses A) ->
  apart (writes ρ A) (bounds_read ρ lo hi) ->
  apart (writes ρ (For x lo hi B)) (loads ρ A) ->
  apart (writes ρ (For x lo hi B)) (writes ρ A) ->
  equal ρ (Seq A A) A ->
  exec ρ (For x lo hi (Seq A B)) σ = exec ρ (Seq A (For x lo hi B)) σ.
Proof.
  intros ρ x lo hi A B σ R U K S T D.
  destruct (bounds_survive ρ A lo hi σ K) as [Ea Eb].
  change (exec ρ (For x lo hi (Seq A B)) σ = exec ρ (For x lo hi B) (exec ρ A σ)).
  rewrite (exec_for ρ x lo hi B), Ea, Eb; simpl.
  set (a := eval ρ σ lo) in *; set (b := eval ρ σ hi) in *.
  assert (V : forall k τ, exec (bind x k ρ) A τ = exec ρ A τ) by (intros; apply exec_unused; auto).
  (* Where the moved statement has run, it may run again. *)
  assert (Q : forall k τ, a <= k <= b -> exec ρ A τ = τ ->
              exec ρ A (exec (bind x k ρ) B τ) = exec (bind x k ρ) B τ).
  { intros k τ J E; extensionality l.
    assert (W : forall m, writes (bind x k ρ) B m -> writes ρ (For x lo hi B) m).
    { intros m M; exists k; split; auto; exists σ; auto. }
    apply (by_cases (writes (bind x k ρ) B l)); intro M.
    - apply unset_stays; intro N; apply (T l); auto.
    - rewrite undisturbed, E, unset_stays; auto; intros m N; apply (S m); auto. }
  rewrite trips_first by lia; simpl; rewrite V.
  set (τ := exec (bind x a ρ) B (exec ρ A σ)).
  assert (E : exec ρ A τ = τ) by (apply Q; try lia; apply D).
  apply (run_relates (fun α β => α = β /\ exec ρ A α = α)); auto.
  intros k α β J [<- G]; apply trips_in in J; rewrite V, G; split; auto; apply Q; auto; lia.
Qed.

(* 5.3.1, with G12: what the rest sets, the statement neither uses nor sets, and twice is as good as once. From any
   place in the body, and for a loop that may not run at all. *)
Theorem code_motion : forall ρ x lo hi A B C
  (index_absent : ~ In x (uses A))
  (bounds_kept : apart (writes ρ A) (bounds_read ρ lo hi))
  (undisturbed : apart (writes ρ (For x lo hi (Seq B C))) (fun l => writes ρ A l \/ loads ρ A l))
  (not_awaited : forall k, reached ρ lo hi k -> apart (writes ρ A) (loads (bind x k ρ) B))
  (idempotent : equal ρ (Seq A A) A),
  equal ρ (For x lo hi (Seq (Seq B A) C))
          (Seq (If (Rel AtMost lo hi) A Null) (For x lo hi (Seq B C))).
Proof.
  intros ρ x lo hi A B C U K D N I σ.
  transitivity (exec ρ (For x lo hi (Seq A (Seq B C))) σ).
  - rewrite !exec_for; apply run_ext; intros k τ J; apply trips_in in J.
    assert (R : reached ρ lo hi k) by (exists σ; auto).
    assert (W : forall l, writes (bind x k ρ) B l -> writes ρ (For x lo hi (Seq B C)) l).
    { intros l L; exists k; split; auto; left; auto. }
    simpl; f_equal; rewrite !(exec_unused A) by auto; apply commute.
    + intros l L M; apply (D l); auto.
    + apply N; auto.
    + intros l L M; apply (D l); auto.
  - destruct (Z.le_gt_cases (eval ρ σ lo) (eval ρ σ hi)) as [L | L].
    + rewrite code_motion_first; auto; try (intros l ? ?; apply (D l); auto).
      simpl; destruct (Z.leb_spec (eval ρ σ lo) (eval ρ σ hi)); auto; lia.
    + simpl; destruct (Z.leb_spec (eval ρ σ lo) (eval ρ σ hi)); [lia |]; simpl.
      rewrite !trips_none by lia; auto.
Qed.

(* A condition that does not change in the loop may be tested before it; no iteration need run. The body is a choice on
   the condition, wherever inside it that choice is made. *)
Theorem unswitching : forall ρ x lo hi b S A B
  (shape_choice : forall k, reached ρ lo hi k -> equal (bind x k ρ) S (If b A B))
  (no_inner_index : ~ In x (names_b b))
  (memory_unchanged : apart (fun l => writes ρ (For x lo hi A) l \/ writes ρ (For x lo hi B) l) (reads_b ρ b)),
  equal ρ (For x lo hi S) (If b (For x lo hi A) (For x lo hi B)).
Proof.
  intros ρ x lo hi b S A B C N K; eapply equal_trans; [apply equal_for, C |].
  intro σ; simpl; destruct (holds ρ σ b) eqn:H;
    apply (run_relates (fun α β => α = β /\ holds ρ α b = holds ρ σ b)); auto;
    intros k α β J [<- G]; apply trips_in in J;
    rewrite (holds_env (bind x k ρ) ρ), G, H by (intros n I; apply bind_other; intros ->; auto);
    split; auto; rewrite <- H, <- G; apply truth_survives; intros l L; apply K; [left | right];
    exists k; split; auto; exists σ; auto.
Qed.
