(* Primitive moves on statements: White's section 4.1.

   Every theorem of the catalogue is about one place, with the environment ρ of the loops around it, and its hypotheses
   carry the names of the clauses by which the optimizer checks it. Two kinds of hypotheses are no clauses: `legal_`,
   which the language itself ensures (an index is unique and never assigned), and `shape_`, which says what stands at
   the place for the theorem to speak of it at all. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language Footprint Substitution.
Open Scope Z_scope.

(* Definition 4.1.1, in all states (G6). *)
Definition interchangeable (ρ : env) (A B : stat) : Prop := equal ρ (Seq A B) (Seq B A).

(* 4.1.1a *)
Theorem interchange_equal : forall ρ A B
  (equal_statements : equal ρ A B),
  equal ρ (Seq A B) (Seq B A).
Proof. intros ρ A B E σ; simpl; rewrite !E; auto. Qed.

(* What one sets off from the other's reading leaves its effect as it was. *)
Lemma undisturbed : forall ρ A ρ' B σ l,
  apart (writes ρ' B) (loads ρ A) -> ~ writes ρ' B l -> exec ρ A (exec ρ' B σ) l = exec ρ A σ l.
Proof.
  intros ρ A ρ' B σ l S N.
  apply (loaded_decides A ρ (fun m => ~ writes ρ' B m)); auto.
  - intros m L W; eapply S; eauto.
  - intros m M; apply unset_stays; auto.
Qed.

(* The same over two places, which may be different iterations. *)
Lemma commute : forall ρ A ρ' B σ,
  apart (writes ρ A) (loads ρ' B) -> apart (writes ρ' B) (loads ρ A) -> apart (writes ρ A) (writes ρ' B) ->
  exec ρ' B (exec ρ A σ) = exec ρ A (exec ρ' B σ).
Proof.
  intros ρ A ρ' B σ AB BA S; extensionality l.
  apply (by_cases (writes ρ A l)); intro W.
  - assert (~ writes ρ' B l) by (intro V; apply (S l W V)).
    rewrite (unset_stays B), undisturbed; auto.
  - rewrite (unset_stays A ρ (exec ρ' B σ)) by auto.
    rewrite undisturbed; auto.
Qed.

(* 4.1.2, with G8: nothing is set by both. *)
Theorem interchange : forall ρ A B
  (first_sets_apart_from_second_uses : apart (writes ρ A) (loads ρ B))
  (second_sets_apart_from_first_uses : apart (writes ρ B) (loads ρ A))
  (sets_apart : apart (writes ρ A) (writes ρ B)),
  equal ρ (Seq A B) (Seq B A).
Proof. intros ρ A B AB BA S σ; simpl; apply commute; auto. Qed.

(* An assignment v := f(v); the function may depend on the rest of the state. *)
Definition updates (ρ : env) (v : target) (s : expr) (f : state -> Z -> Z) : Prop :=
  forall σ, eval ρ σ s = f σ (σ (locate ρ σ v)).

(* The function reads v through its argument only. *)
Definition reads_no_other (ρ : env) (v : target) (f : state -> Z -> Z) : Prop :=
  forall σ n m, f (set (locate ρ σ v) n σ) m = f σ m.

Definition own_location (ρ : env) (v : target) : Prop :=
  forall σ n, locate ρ (set (locate ρ σ v) n σ) v = locate ρ σ v.

Lemma own_location_if_not_read : forall ρ v, apart (places ρ v) (index_reads ρ v) -> own_location ρ v.
Proof.
  intros ρ v S σ n; apply location_agrees; intros l L; apply set_other; intro E.
  apply (S l); auto; exists σ; auto.
Qed.

(* 4.1.3 *)
Theorem interchange_updates : forall ρ v s t f g
  (shape_updates : updates ρ v s f /\ updates ρ v t g)
  (not_self_referencing : own_location ρ v)
  (no_other_reads : reads_no_other ρ v f /\ reads_no_other ρ v g)
  (functions_commute : forall σ n, f σ (g σ n) = g σ (f σ n)),
  equal ρ (Seq (Assign v s) (Assign v t)) (Seq (Assign v t) (Assign v s)).
Proof.
  intros ρ v s t f g [F G] L [Nf Ng] C σ; simpl.
  rewrite !F, !G, !L, !set_twice, !set_same, Nf, Ng, C; auto.
Qed.

(* 4.1.4, with G1 (assigned, not changed), G2 (no index), G5 (no capture). *)
Theorem interchange_with_substitution : forall ρ x s A
  (legal_not_an_index : ρ x = None)
  (not_assigned : ~ In x (sets A))
  (value_kept : apart (writes ρ A) (reads ρ s))
  (legal_no_capture : disjoint (bound A) (x :: names s)),
  equal ρ (Seq (Assign (Simple x) s) A) (Seq (subst x s A) (Assign (Simple x) s)).
Proof.
  intros ρ x s A F S K C σ; simpl.
  assert (B : ~ In x (bound A)) by (intro I; apply (C x I); simpl; auto).
  set (v := eval ρ σ s).
  assert (W : apart (writes (bind x v ρ) A) (reads ρ s)).
  { intros l L; apply K; eapply writes_held; eauto. }
  rewrite (substitute A x s ρ ρ); auto.
  - fold v; rewrite value_survives by auto; apply held; auto.
  - intros n I J; apply (C n I); simpl; auto.
Qed.

(* The textual substitution of one variable for another in a target, the left side included. *)
Definition subst_all (x : name) (w v : target) (r : expr) : target :=
  match v with
  | Simple y => if string_dec x y then w else Simple y
  | Indexed a i => Indexed a (subst_expr x r i)
  end.

Definition value_of (v : target) : expr := match v with Simple x => Var x | Indexed a i => Elem a i end.

(* The names that an assignment sees in the memory. *)
Definition in_memory (ρ : env) (v : target) : Prop := match v with Simple x => ρ x = None | _ => True end.

Lemma eval_value_of : forall ρ σ v, in_memory ρ v -> eval ρ σ (value_of v) = σ (locate ρ σ v).
Proof. intros ρ σ [x | a i] M; simpl in *; auto; rewrite M; auto. Qed.

(* 4.1.5: v := s; w := x becomes w := x; v[w/x] := s[w/x]; x := w. *)
Theorem interchange_with_backward_substitution : forall ρ x v s w
  (legal_not_an_index : ρ x = None /\ in_memory ρ w)
  (second_sets_apart_from_first_uses :
     apart (places ρ w) (fun l => index_reads ρ v l \/ reads ρ s l))
  (sets_apart : apart (places ρ w) (places ρ v))
  (location_independent : apart (places ρ v) (index_reads ρ w))
  (not_self_referencing : apart (places ρ w) (index_reads ρ w)),
  equal ρ (Seq (Assign v s) (Assign w (Var x)))
          (Seq (Assign w (Var x))
               (Seq (Assign (subst_all x w v (value_of w)) (subst_expr x (value_of w) s))
                    (Assign (Simple x) (value_of w)))).
Proof.
  intros ρ x v s w [F M] U S L N σ; simpl; rewrite F.
  set (l := locate ρ σ w); set (X := σ (Scalar x)); set (τ := set l X σ).
  assert (Lw : forall m n, l = locate ρ σ w -> ~ index_reads ρ w m -> locate ρ (set m n σ) w = l).
  { intros m n _ O; apply location_agrees; intros k K; apply set_other; intros ->; auto. }
  assert (Pw : places ρ w l) by (exists σ; auto).
  assert (Pv : places ρ v (locate ρ σ v)) by (exists σ; auto).
  assert (El : locate ρ τ w = l) by (apply Lw; auto; intro; eapply N; eauto).
  assert (W : eval ρ τ (value_of w) = X) by (rewrite eval_value_of, El by auto; apply set_same).
  assert (H : forall r, (forall k, reads ρ r k -> k <> l) ->
              eval ρ τ (subst_expr x (value_of w) r) = eval ρ σ r).
  { intros r O; rewrite eval_subst, W, value_held by auto; apply value_agrees; intros k K.
    unfold set at 1; destruct (loc_eq (Scalar x) k) as [<- |]; auto.
    apply set_other; intro E; apply (O k); auto. }
  assert (Es : eval ρ τ (subst_expr x (value_of w) s) = eval ρ σ s).
  { apply H; intros k K ->; eapply U; eauto. }
  rewrite Es.
  set (n := eval ρ σ s).
  rewrite (Lw (locate ρ σ v) n) by (auto; intro; eapply L; eauto).
  assert (O : l <> locate ρ σ v) by (intro E; rewrite <- E in Pv; eapply S; eauto).
  destruct (loc_eq (locate ρ σ v) (Scalar x)) as [E | E].
  - destruct v as [y | a i]; [| discriminate]; simpl in *; injection E as ->.
    destruct (string_dec x x) as [_ |]; [| congruence].
    rewrite El; unfold τ; rewrite set_twice, !set_same.
    rewrite eval_value_of, (Lw l n), set_same by (auto; intro; eapply N; eauto).
    apply set_commute; auto.
  - assert (V : locate ρ τ (subst_all x w v (value_of w)) = locate ρ σ v).
    { destruct v as [y | a i]; simpl in *.
      - destruct (string_dec x y); [congruence | auto].
      - f_equal; apply H; intros k K ->; eapply U; eauto. }
    rewrite V; set (m := locate ρ σ v) in *.
    assert (T : locate ρ (set m n τ) w = l).
    { rewrite <- El; apply location_agrees; intros k K; apply set_other; intros <-; eapply L; eauto. }
    rewrite eval_value_of, T by auto.
    rewrite (set_other m l), (set_other m (Scalar x)) by auto; fold X.
    replace (τ l) with X by (symmetry; apply set_same).
    rewrite (set_commute l m) by auto; fold τ; symmetry.
    extensionality k; unfold set at 1; destruct (loc_eq (Scalar x) k) as [<- |]; auto.
    rewrite set_other by auto; unfold τ, set; destruct loc_eq; auto.
Qed.

(* The same for any statement: everything that is done to x is done to w. *)
Fixpoint redirect (x : name) (w : target) (A : stat) : stat :=
  let r := value_of w in
  match A with
  | Null => Null
  | Assign v s => Assign (subst_all x w v r) (subst_expr x r s)
  | Seq A B => Seq (redirect x w A) (redirect x w B)
  | If b A B => If (subst_bexp x r b) (redirect x w A) (redirect x w B)
  | For y lo hi A => For y (subst_expr x r lo) (subst_expr x r hi) (redirect x w A)
  end.

(* The two memories side by side: x in one is l in the other, and all else is alike. *)
Definition moved (x : name) (l : loc) (α β : state) : Prop :=
  β l = α (Scalar x) /\ forall k, k <> l -> k <> Scalar x -> β k = α k.

Section Redirected.

Variables (x : name) (w : target) (l : loc) (ρ : env) (σ : state).
Hypothesis place : locate ρ σ w = l.

(* The position of w stays where it was, in the memory where w does the work. *)
Definition stays (β : state) : Prop := forall k, index_reads ρ w k -> β k = σ k.

(* Inside of loops: what is bound there is neither x nor a name in the position of w. *)
Definition within (ρ' : env) : Prop :=
  ρ' x = None /\ in_memory ρ' w /\ forall β, locate ρ' β w = locate ρ β w.

Lemma located : forall ρ' β, within ρ' -> stays β -> locate ρ' β w = l.
Proof. intros ρ' β (_ & _ & L) S; rewrite L, <- place; apply location_agrees; auto. Qed.

Lemma value_moved : forall ρ' α β, within ρ' -> stays β -> moved x l α β ->
  (forall s, ~ reads ρ' s l -> eval ρ' β (subst_expr x (value_of w) s) = eval ρ' α s) /\
  (forall b, ~ reads_b ρ' b l -> holds ρ' β (subst_bexp x (value_of w) b) = holds ρ' α b).
Proof.
  intros ρ' α β W S [Ml Mo].
  assert (V : eval ρ' β (value_of w) = α (Scalar x)).
  { destruct W as (F & M & L); rewrite eval_value_of, (located ρ' β) by (unfold within; auto); auto. }
  destruct W as (F & _).
  assert (G : forall k, k <> l -> set (Scalar x) (α (Scalar x)) β k = α k).
  { intros k K; unfold set; destruct (loc_eq (Scalar x) k) as [<- |]; auto. }
  split; [intros s N; rewrite eval_subst, V, value_held by auto; apply value_agrees |
          intros b N; rewrite holds_subst, V, truth_held by auto; apply truth_agrees];
    intros k K; apply G; intros ->; auto.
Qed.

Lemma redirected : forall A ρ' α β,
  within ρ' -> ~ In x (bound A) -> disjoint (bound A) (target_reads w) -> ~ In (target_name w) (bound A) ->
  ~ loads ρ' A l -> ~ writes ρ' A l -> (forall k, writes ρ' A k -> ~ index_reads ρ w k) -> ~ index_reads ρ w l ->
  stays β -> moved x l α β ->
  stays (exec ρ' (redirect x w A) β) /\ moved x l (exec ρ' A α) (exec ρ' (redirect x w A) β).
Proof.
  induction A; simpl; intros ρ' α β W B D T L N I O S M; auto.
  - (* assignment *)
    destruct (value_moved ρ' α β W S M) as [Ve _].
    rewrite Ve by tauto; destruct M as [Ml Mo]; set (n := eval ρ' α s).
    assert (P : places ρ' v (locate ρ' α v)) by (exists α; auto).
    destruct (loc_eq (locate ρ' α v) (Scalar x)) as [E | E].
    + destruct v as [y | a i]; simpl in *; [injection E as -> | discriminate].
      destruct (string_dec x x) as [_ |]; [| congruence].
      rewrite (located ρ' β) by auto; split.
      * intros k K; rewrite set_other; [apply S; auto | intros <-; auto].
      * split; [rewrite !set_same; auto |].
        intros k K X; rewrite !set_other; auto.
    + assert (Q : locate ρ' β (subst_all x w v (value_of w)) = locate ρ' α v).
      { destruct v as [y | a i]; simpl in *.
        - destruct (string_dec x y); [congruence | auto].
        - f_equal; apply Ve; tauto. }
      rewrite Q; set (m := locate ρ' α v) in *.
      assert (m <> l) by (intros ->; auto).
      split.
      * intros k K; rewrite set_other; [apply S; auto | intros <-; eapply I; eauto].
      * split; [rewrite !set_other; auto |].
        intros k K X; unfold set; destruct (loc_eq m k); auto.
  - (* sequence *)
    rewrite in_app_iff in B, T; apply disjoint_app in D as [D1 D2].
    destruct (IHA1 ρ' α β) as [S' M']; auto.
  - (* conditional *)
    rewrite in_app_iff in B, T; apply disjoint_app in D as [D1 D2].
    destruct (value_moved ρ' α β W S M) as [_ Vb]; rewrite Vb by tauto.
    assert (P : possible ρ' b (holds ρ' α b)) by (exists α; auto).
    destruct (holds ρ' α b).
    + apply IHA1; try tauto; auto; intros k J; apply I; auto.
    + apply IHA2; try tauto; auto; intros k J; apply I; auto.
  - (* loop *)
    destruct (value_moved ρ' α β W S M) as [Ve _]; rewrite !Ve by tauto.
    apply (run_relates (fun γ δ => stays δ /\ moved x l γ δ)); [| auto].
    intros k γ δ K [S' M'].
    assert (R : reached ρ' lo hi k) by (exists α; apply trips_in; auto).
    assert (X : forall y, y <> x0 -> bind x0 k ρ' y = ρ' y) by (intros; apply bind_other; auto).
    apply IHA; auto.
    + destruct W as (F & Mw & Lw); split; [rewrite X; auto | split].
      * destruct w as [y | a i]; simpl in *; auto; rewrite X; auto.
      * intro δ'; rewrite <- Lw; destruct w as [y | a i]; simpl in *; auto; f_equal.
        apply eval_unused; intro J; apply (D x0); simpl; auto.
    + intros n J; apply D; simpl; auto.
    + intro J; apply L; right; right; exists k; auto.
    + intro J; apply N; exists k; auto.
    + intros m J; apply I; exists k; auto.
Qed.

End Redirected.

Theorem backward_substitution_for_statements : forall ρ x w A
  (legal_not_an_index : ρ x = None /\ in_memory ρ w)
  (legal_no_capture : ~ In x (bound A) /\ disjoint (bound A) (target_reads w) /\ ~ In (target_name w) (bound A))
  (second_sets_apart_from_first_uses : apart (places ρ w) (loads ρ A))
  (sets_apart : apart (places ρ w) (writes ρ A))
  (location_independent : apart (writes ρ A) (index_reads ρ w))
  (not_self_referencing : apart (places ρ w) (index_reads ρ w)),
  equal ρ (Seq A (Assign w (Var x)))
          (Seq (Assign w (Var x)) (Seq (redirect x w A) (Assign (Simple x) (value_of w)))).
Proof.
  intros ρ x w A [F M] (C1 & C2 & C3) U S I N σ.
  set (l := locate ρ σ w); assert (P : places ρ w l) by (exists σ; auto).
  rewrite !exec_seq; simpl; rewrite F; fold l.
  set (β := set l (σ (Scalar x)) σ).
  assert (G : stays w ρ σ β) by (intros k K; apply set_other; intros <-; apply (N l); auto).
  assert (H : moved x l σ β).
  { split; [apply set_same |]; intros k K _; apply set_other; auto. }
  assert (W : within x w ρ ρ) by (split; auto).
  destruct (redirected x w l ρ σ eq_refl A ρ σ β W C1 C2 C3
    (fun L => U l P L) (fun L => S l P L) (fun k K J => I k K J) (fun J => N l P J) G H) as [G' [Ml Mo]].
  set (α := exec ρ A σ) in *; set (δ := exec ρ (redirect x w A) β) in *.
  assert (Lα : locate ρ α w = l).
  { apply location_agrees; intros k K; apply unset_stays; intro J; apply (I k); auto. }
  rewrite Lα, eval_value_of, (located x w l ρ σ eq_refl ρ δ W G') by auto.
  rewrite Ml; extensionality k; unfold set.
  destruct (loc_eq l k) as [E | E], (loc_eq (Scalar x) k) as [E' | E']; auto.
  - rewrite <- E; auto.
  - rewrite <- E'; auto.
  - symmetry; apply Mo; auto.
Qed.

(* 4.1.6a, with G4: what counts is what the second reads, its own place included. *)
Theorem compression_of_assignments : forall ρ v s t
  (value_not_used : apart (places ρ v) (reads ρ t))
  (not_self_referencing : apart (places ρ v) (index_reads ρ v)),
  equal ρ (Seq (Assign v s) (Assign v t)) (Assign v t).
Proof.
  intros ρ v s t U N σ; simpl.
  rewrite own_location_if_not_read, set_twice by auto; f_equal.
  apply value_agrees; intros l L; apply set_other; intros <-; apply (U (locate ρ σ v)); auto; exists σ; auto.
Qed.

(* 4.1.6b *)
Theorem compression_of_nullable : forall ρ A B
  (nullable : equal ρ A Null),
  equal ρ (Seq A B) B.
Proof. intros ρ A B N σ; simpl; rewrite N; auto. Qed.

(* The assignments that change nothing: v := v. *)
Theorem own_value_is_nullable : forall ρ v, in_memory ρ v -> equal ρ (Assign v (value_of v)) Null.
Proof. intros ρ v M σ; simpl; rewrite eval_value_of by auto; apply set_own. Qed.

(* A statement whose results the next one overwrites unread; the general form of 4.1.6a. *)
Theorem compression : forall ρ A B
  (results_not_used : apart (writes ρ A) (loads ρ B))
  (results_overwritten : forall l σ τ, writes ρ A l -> agree (loads ρ B) σ τ -> exec ρ B σ l = exec ρ B τ l),
  equal ρ (Seq A B) B.
Proof.
  intros ρ A B U O σ; extensionality l; simpl.
  assert (G : agree (loads ρ B) (exec ρ A σ) σ) by (intros m M; apply unset_stays; intro; eapply U; eauto).
  apply (by_cases (writes ρ A l)); intro W; auto.
  apply (loaded_decides B ρ (fun m => ~ writes ρ A m)); auto.
  - intros m M V; eapply U; eauto.
  - intros m V; apply unset_stays; auto.
Qed.
