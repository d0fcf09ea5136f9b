(* Iterations that do not meet: on several threads, and side by side in the lanes of a vector.

   Threads take the iterations in any order. Lanes go through the body together: all make the first statement before
   any makes the second, a conditional splits them by what it is for each, and a loop inside has the same bounds for
   all. Both do what the iterations do one after the other, if none loads or stores what another one stores. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality Permutation.
From Hops Require Import Language Footprint Substitution Statements Loops Apart.
Import ListNotations.
Open Scope Z_scope.

(* ---- threads ---- *)

Fixpoint indices (first : Z) (count : nat) : list Z :=
  match count with O => [] | S n => first :: indices (first + 1) n end.

Lemma run_is_list : forall f count first σ, run f first count σ = run_list f (indices first count) σ.
Proof. unfold run_list; induction count; intros; simpl; auto. Qed.

Lemma in_indices : forall count first k, In k (indices first count) <-> first <= k < first + Z.of_nat count.
Proof. induction count; intros; simpl; [lia |]; rewrite IHcount; lia. Qed.

(* Two iterations that the loop reaches share nothing that one of them stores. *)
Definition never_meets (X : env -> stat -> loc -> Prop) (ρ : env) (x : name) (lo hi : expr) (A : stat) : Prop :=
  forall j k, reached ρ lo hi j -> reached ρ lo hi k -> j <> k ->
  apart (writes (bind x j ρ) A) (X (bind x k ρ) A).

(* In whatever order the iterations come; bands that several threads take are such an order. *)
Theorem iterations_in_any_order : forall ρ x lo hi A
  (no_flow : never_meets loads ρ x lo hi A)
  (apart : never_meets writes ρ x lo hi A),
  forall σ ks
  (shape_all_iterations : Permutation (indices (eval ρ σ lo) (trips (eval ρ σ lo) (eval ρ σ hi))) ks),
  exec ρ (For x lo hi A) σ = run_list (fun k => exec (bind x k ρ) A) ks σ.
Proof.
  intros ρ x lo hi A F S σ ks P; rewrite exec_for, run_is_list.
  apply any_order; auto; intros j k τ J K N; symmetry.
  assert (R : forall i, In i (indices (eval ρ σ lo) (trips (eval ρ σ lo) (eval ρ σ hi))) -> reached ρ lo hi i).
  { intros i I; exists σ; apply trips_in; apply in_indices; auto. }
  apply commute; auto.
Qed.

(* ---- lanes ---- *)

(* The body for all lanes at once, each with its own environment. *)
Fixpoint lockstep (A : stat) (lanes : list env) (σ : state) : state :=
  match A with
  | Null => σ
  | Assign v s => fold_left (fun τ ρ => set (locate ρ σ v) (eval ρ σ s) τ) lanes σ
  | Seq A B => lockstep B lanes (lockstep A lanes σ)
  | If b A B =>
      lockstep B (filter (fun ρ => negb (holds ρ σ b)) lanes) (lockstep A (filter (fun ρ => holds ρ σ b) lanes) σ)
  | For y lo hi A =>
      match lanes with
      | [] => σ
      | ρ :: _ => run (fun k => lockstep A (map (bind y k) lanes)) (eval ρ σ lo) (trips (eval ρ σ lo) (eval ρ σ hi)) σ
      end
  end.

Definition in_turn (A : stat) (lanes : list env) (σ : state) : state := fold_left (fun τ ρ => exec ρ A τ) lanes σ.

Definition strangers (A : stat) (ρ ρ' : env) : Prop :=
  apart (writes ρ A) (loads ρ' A) /\ apart (writes ρ' A) (loads ρ A) /\ apart (writes ρ A) (writes ρ' A).

Definition independent (A : stat) (lanes : list env) : Prop := ForallOrdPairs (strangers A) lanes.

(* The lanes differ in the index alone that they run over, and no loop inside has it in its bounds. *)
Definition differ_in (x : name) (lanes : list env) : Prop :=
  forall ρ ρ', In ρ lanes -> In ρ' lanes -> forall n, n <> x -> ρ n = ρ' n.

Fixpoint same_bounds_for_all (x : name) (A : stat) : Prop :=
  match A with
  | Null | Assign _ _ => True
  | Seq A B => same_bounds_for_all x A /\ same_bounds_for_all x B
  | If _ A B => same_bounds_for_all x A /\ same_bounds_for_all x B
  | For _ lo hi A => ~ In x (names lo) /\ ~ In x (names hi) /\ same_bounds_for_all x A
  end.

Lemma pairs_imply : forall (P Q : env -> env -> Prop) lanes,
  (forall ρ ρ', In ρ lanes -> In ρ' lanes -> P ρ ρ' -> Q ρ ρ') -> ForallOrdPairs P lanes -> ForallOrdPairs Q lanes.
Proof.
  induction lanes; intros I H; constructor; inversion H; subst.
  - apply Forall_forall; intros ρ R; rewrite Forall_forall in H2; apply I; simpl; auto.
  - apply IHlanes; auto; intros; apply I; simpl; auto.
Qed.

Lemma pairs_filter : forall (P : env -> env -> Prop) f lanes, ForallOrdPairs P lanes -> ForallOrdPairs P (filter f lanes).
Proof.
  induction lanes; simpl; intros H; auto; inversion H; subst; destruct (f a); auto.
  constructor; auto; apply Forall_forall; intros ρ R; apply filter_In in R as [R _].
  rewrite Forall_forall in H2; auto.
Qed.

Lemma pairs_map : forall (P : env -> env -> Prop) (f : env -> env) lanes,
  ForallOrdPairs (fun ρ ρ' => P (f ρ) (f ρ')) lanes -> ForallOrdPairs P (map f lanes).
Proof.
  induction lanes; simpl; intros H; constructor; inversion H; subst; auto.
  apply Forall_forall; intros ρ R; apply in_map_iff in R as (ρ' & <- & R); rewrite Forall_forall in H2; auto.
Qed.

(* What one lane does commutes with what the others do in turn. *)
Lemma past_lanes : forall A B ρ lanes σ,
  (forall ρ', In ρ' lanes -> forall τ, exec ρ B (exec ρ' A τ) = exec ρ' A (exec ρ B τ)) ->
  exec ρ B (in_turn A lanes σ) = in_turn A lanes (exec ρ B σ).
Proof.
  induction lanes; simpl; intros σ C; auto.
  rewrite IHlanes by (intros; apply C; auto); f_equal; apply C; auto.
Qed.

(* Two statements, one after the other in all lanes, or lane by lane. *)
Lemma lanes_join : forall A B lanes σ,
  ForallOrdPairs (fun ρ ρ' => forall τ, exec ρ B (exec ρ' A τ) = exec ρ' A (exec ρ B τ)) lanes ->
  in_turn B lanes (in_turn A lanes σ) = in_turn (Seq A B) lanes σ.
Proof.
  induction lanes; simpl; intros σ C; auto; inversion C; subst.
  fold (in_turn A lanes (exec a A σ)); rewrite past_lanes by (rewrite Forall_forall in H1; auto).
  apply IHlanes; auto.
Qed.

Lemma strangers_commute : forall A B C ρ ρ',
  strangers C ρ ρ' ->
  (forall l, writes ρ B l -> writes ρ C l) -> (forall l, loads ρ B l -> loads ρ C l) ->
  (forall l, writes ρ' A l -> writes ρ' C l) -> (forall l, loads ρ' A l -> loads ρ' C l) ->
  forall τ, exec ρ B (exec ρ' A τ) = exec ρ' A (exec ρ B τ).
Proof.
  intros A B C ρ ρ' (F & G & W) Wb Lb Wa La τ; apply commute; intros l H K.
  - apply (G l); auto.
  - apply (F l); auto.
  - apply (W l); auto.
Qed.

Lemma strangers_of_part : forall A C ρ ρ' ν ν',
  strangers C ρ ρ' ->
  (forall l, writes ν A l -> writes ρ C l) -> (forall l, loads ν A l -> loads ρ C l) ->
  (forall l, writes ν' A l -> writes ρ' C l) -> (forall l, loads ν' A l -> loads ρ' C l) ->
  strangers A ν ν'.
Proof.
  intros A C ρ ρ' ν ν' (F & G & W) W1 L1 W2 L2; repeat split; intros l H K;
    [apply (F l) | apply (G l) | apply (W l)]; auto.
Qed.

Lemma lockstep_assign : forall v s lanes σ τ,
  independent (Assign v s) lanes ->
  (forall ρ, In ρ lanes -> agree (loads ρ (Assign v s)) σ τ) ->
  fold_left (fun τ ρ => set (locate ρ σ v) (eval ρ σ s) τ) lanes τ = in_turn (Assign v s) lanes τ.
Proof.
  induction lanes; simpl; intros σ τ I G; auto; inversion I; subst.
  assert (E : locate a τ v = locate a σ v /\ eval a τ s = eval a σ s).
  { split; symmetry; [apply location_agrees | apply value_agrees]; intros l L; apply (G a); simpl; auto. }
  destruct E as [-> ->]; apply IHlanes; auto.
  intros ρ R l L; rewrite (G ρ) by auto; symmetry; apply set_other; intros <-.
  rewrite Forall_forall in H1; destruct (H1 ρ R) as [F _].
  apply (F (locate a σ v)); auto; exists σ; auto.
Qed.

Lemma lockstep_if : forall b A B lanes σ τ,
  independent (If b A B) lanes ->
  (forall ρ, In ρ lanes -> holds ρ τ b = holds ρ σ b) ->
  in_turn B (filter (fun ρ => negb (holds ρ σ b)) lanes) (in_turn A (filter (fun ρ => holds ρ σ b) lanes) τ) =
  in_turn (If b A B) lanes τ.
Proof.
  induction lanes; intros σ τ I G; auto; inversion I as [| ? ? F I']; subst; rewrite Forall_forall in F.
  assert (Ga : holds a τ b = holds a σ b) by (apply G; simpl; auto).
  assert (K : forall ρ, In ρ lanes -> holds ρ (exec a (If b A B) τ) b = holds ρ σ b).
  { intros ρ R; rewrite <- (G ρ) by (simpl; auto); apply truth_survives.
    intros l W L; destruct (F ρ R) as [S _]; apply (S l W); simpl; auto. }
  change (in_turn (If b A B) (a :: lanes) τ) with (in_turn (If b A B) lanes (exec a (If b A B) τ)).
  rewrite <- (IHlanes σ) by auto; clear IHlanes.
  assert (P : possible a b (holds a σ b)) by (exists σ; auto).
  simpl filter; destruct (holds a σ b) eqn:H; simpl negb; cbv iota; simpl exec; rewrite Ga; auto.
  set (no := filter (fun ρ => negb (holds ρ σ b)) lanes); set (yes := filter (fun ρ => holds ρ σ b) lanes) in *.
  change (in_turn B (a :: no) (in_turn A yes τ)) with (in_turn B no (exec a B (in_turn A yes τ))).
  rewrite past_lanes; auto.
  intros ρ R ν; apply filter_In in R as [R R'].
  assert (P' : possible ρ b true) by (exists σ; auto).
  apply (strangers_commute A B (If b A B)); auto; simpl; auto.
Qed.

(* A loop in all lanes, or each lane with its whole loop. *)
Lemma lockstep_for : forall y lo hi A lanes σ a b,
  independent (For y lo hi A) lanes ->
  (forall ρ, In ρ lanes -> eval ρ σ lo = a /\ eval ρ σ hi = b) ->
  run (fun k => in_turn A (map (bind y k) lanes)) a (trips a b) σ = in_turn (For y lo hi A) lanes σ.
Proof.
  induction lanes as [| ρ lanes IH]; intros σ a b I E.
  - simpl; apply run_nothing; auto.
  - inversion I as [| ? ? F I']; subst; rewrite Forall_forall in F.
    destruct (E ρ (or_introl eq_refl)) as [Ea Eb].
    assert (R : forall k, a <= k <= b -> reached ρ lo hi k) by (intros; exists σ; lia).
    assert (R' : forall ρ' k, In ρ' lanes -> a <= k <= b -> reached ρ' lo hi k).
    { intros ρ' k L K; exists σ; destruct (E ρ'); simpl; auto; lia. }
    change (in_turn (For y lo hi A) (ρ :: lanes) σ) with (in_turn (For y lo hi A) lanes (exec ρ (For y lo hi A) σ)).
    rewrite <- (IH _ a b); auto.
    + rewrite exec_for, Ea, Eb.
      rewrite (run_join (fun k => exec (bind y k ρ) A) (fun k => in_turn A (map (bind y k) lanes))); auto.
      intros j k τ J K; symmetry; apply past_lanes.
      intros ρ' L ν; apply in_map_iff in L as (ρ'' & <- & L).
      assert (H : forall i, a <= i < a + Z.of_nat (trips a b) -> a <= i <= b) by (intros; apply trips_in; auto).
      pose proof (H j ltac:(lia)) as Hj; pose proof (H k ltac:(lia)) as Hk.
      apply commute; intros l V W; destruct (F ρ'' L) as (S1 & S2 & S3).
      * apply (S2 l); [exists j; auto | simpl; right; right; exists k; auto].
      * apply (S1 l); [exists k; auto | simpl; right; right; exists j; auto].
      * apply (S3 l); [exists k; auto | exists j; auto].
    + intros ρ' L; destruct (E ρ') as [<- <-]; [simpl; auto |].
      split; apply value_survives; intros l W V; destruct (F ρ' L) as (S & _); apply (S l W); simpl; auto.
Qed.

Lemma lockstep_in_turn : forall A x lanes σ,
  same_bounds_for_all x A -> differ_in x lanes -> independent A lanes -> lockstep A lanes σ = in_turn A lanes σ.
Proof.
  induction A; intros x' lanes σ U D I; simpl in U.
  - simpl; induction lanes; simpl; auto; apply IHlanes; inversion I; auto.
    intros ρ ρ' L L'; apply D; simpl; auto.
  - apply lockstep_assign; auto; intros ρ L l _; auto.
  - destruct U as [U1 U2]; simpl.
    rewrite (IHA1 x'), (IHA2 x'); auto.
    + apply lanes_join; eapply pairs_imply; [| exact I].
      intros ρ ρ' _ _ S; apply (strangers_commute A1 A2 (Seq A1 A2)); simpl; auto.
    + eapply pairs_imply; [| exact I]; intros ρ ρ' _ _ S; eapply strangers_of_part; eauto; simpl; auto.
    + eapply pairs_imply; [| exact I]; intros ρ ρ' _ _ S; eapply strangers_of_part; eauto; simpl; auto.
  - destruct U as [U1 U2]; simpl.
    assert (T : forall (p : bool) ρ, holds ρ σ b = p -> possible ρ b p) by (intros p ρ <-; exists σ; auto).
    rewrite (IHA1 x'), (IHA2 x'); auto.
    + apply lockstep_if; auto.
    + intros ρ ρ' L L'; apply filter_In in L as [L _]; apply filter_In in L' as [L' _]; apply D; auto.
    + eapply pairs_imply; [| apply pairs_filter, I].
      intros ρ ρ' L L' S; apply filter_In in L as [_ L]; apply filter_In in L' as [_ L'].
      apply negb_true_iff in L, L'; eapply strangers_of_part; eauto; simpl; auto.
    + intros ρ ρ' L L'; apply filter_In in L as [L _]; apply filter_In in L' as [L' _]; apply D; auto.
    + eapply pairs_imply; [| apply pairs_filter, I].
      intros ρ ρ' L L' S; apply filter_In in L as [_ L]; apply filter_In in L' as [_ L'].
      eapply strangers_of_part; eauto; simpl; auto.
  - destruct U as (Ul & Uh & Ua); destruct lanes as [| ρ lanes]; [auto |].
    change (lockstep (For x lo hi A) (ρ :: lanes) σ) with
      (run (fun k => lockstep A (map (bind x k) (ρ :: lanes))) (eval ρ σ lo) (trips (eval ρ σ lo) (eval ρ σ hi)) σ).
    set (all := ρ :: lanes) in *; set (a := eval ρ σ lo); set (b := eval ρ σ hi).
    assert (E : forall τ ρ', In ρ' all -> eval ρ' τ lo = eval ρ τ lo /\ eval ρ' τ hi = eval ρ τ hi).
    { intros τ ρ' L; split; apply eval_env; intros n N; apply D; simpl; auto; intros ->; auto. }
    rewrite <- (lockstep_for x lo hi A all σ a b); auto.
    2: { intros ρ' L; apply E; auto. }
    apply run_ext; intros k τ K; apply trips_in in K; apply (IHA x'); auto.
    + intros ρ1 ρ2 L1 L2 n N; apply in_map_iff in L1 as (ν1 & <- & L1); apply in_map_iff in L2 as (ν2 & <- & L2).
      unfold bind; destruct (string_dec x n); auto; apply D; auto.
    + apply pairs_map; eapply pairs_imply; [| exact I].
      assert (R : forall ρ', In ρ' all -> reached ρ' lo hi k).
      { intros ρ' L; exists σ; destruct (E σ ρ' L) as [-> ->]; auto. }
      intros ρ1 ρ2 L1 L2 S; eapply strangers_of_part; eauto; simpl; intros l W.
      * exists k; auto.
      * right; right; exists k; auto.
      * exists k; auto.
      * right; right; exists k; auto.
Qed.

Lemma no_twice : forall (l m : list Z), NoDup (l ++ m) -> NoDup l /\ NoDup m.
Proof.
  induction l; simpl; intros m H; [split; [constructor | auto] |].
  inversion H; subst; destruct (IHl m) as [L M]; auto; split; auto.
  constructor; auto; intro I; apply H2, in_app_iff; auto.
Qed.

Definition lanes_of (x : name) (ρ : env) (ks : list Z) : list env := map (fun k => bind x k ρ) ks.

(* A vector of iterations after the other, each as wide as one likes: what the loop does. *)
Theorem iterations_in_lanes : forall ρ x lo hi A
  (rectangular : same_bounds_for_all x A)
  (no_flow : never_meets loads ρ x lo hi A)
  (apart : never_meets writes ρ x lo hi A),
  forall σ vectors
  (shape_all_iterations : concat vectors = indices (eval ρ σ lo) (trips (eval ρ σ lo) (eval ρ σ hi))),
  exec ρ (For x lo hi A) σ = fold_left (fun τ ks => lockstep A (lanes_of x ρ ks) τ) vectors σ.
Proof.
  intros ρ x lo hi A U F W σ vectors C; rewrite exec_for, run_is_list, <- C; unfold run_list.
  assert (N : NoDup (concat vectors) /\ forall k, In k (concat vectors) -> reached ρ lo hi k).
  { rewrite C; split; [| intros k K; exists σ; apply trips_in; apply in_indices; auto].
    generalize (eval ρ σ lo) at 1 as a; generalize (trips (eval ρ σ lo) (eval ρ σ hi)) as n.
    induction n; intros; simpl; constructor; auto; rewrite in_indices; lia. }
  clear C; destruct N as [N R]; revert σ; induction vectors as [| ks vectors IH]; intros σ; auto.
  simpl in *; rewrite fold_left_app, IH; auto.
  - f_equal; rewrite (lockstep_in_turn A x); auto.
    + unfold in_turn, lanes_of; clear; revert σ; induction ks; simpl; auto.
    + intros ρ1 ρ2 L1 L2 n D; unfold lanes_of in *.
      apply in_map_iff in L1 as (k1 & <- & _); apply in_map_iff in L2 as (k2 & <- & _); rewrite !bind_other; auto.
    + unfold lanes_of, independent; clear IH.
      assert (Rk : forall k, In k ks -> reached ρ lo hi k) by (intros; apply R, in_app_iff; auto).
      assert (Nk : NoDup ks) by (apply (no_twice _ _ N)).
      clear R N; induction ks as [| j ks IHk]; simpl; constructor; inversion Nk; subst.
      * apply Forall_forall; intros ρ' L; apply in_map_iff in L as (k & <- & K).
        assert (j <> k) by (intros ->; auto).
        repeat split; [apply F | apply F | apply W]; auto; apply Rk; simpl; auto.
      * apply IHk; auto; intros; apply Rk; simpl; auto.
  - apply (no_twice _ _ N).
  - intros k K; apply R, in_app_iff; auto.
Qed.
