(* Instances: what the hypotheses of a lemma come to at one place of one program, computed on finitely many states.

   A hypothesis says something about all states, and cannot be computed. It implies something about any few of them,
   which can: each `test` below comes with a proof that the hypothesis implies it, so a test that fails refutes the
   hypothesis. Which test belongs to a hypothesis is found from the statement of the lemma by instance resolution;
   nothing here is written for a particular clause of the optimizer. `tools/corpus.py` gives the lemmas arguments, and
   the tests the states that arrive at the place. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language Footprint Substitution Statements Conditionals Loops Spans Lanes.
From Hops Require Values Stages.
Import ListNotations.
Open Scope Z_scope.

(* ---- the few states ---- *)

(* Quantified variables take the values in these lists; states are compared at the cells. *)
Record universe := { states : list state; numbers : list Z; namings : list name; cells : list loc }.

Class Test (U : universe) (P : Prop) := { test : bool; refutes : P -> test = true }.
Arguments test U P {_}.

(* A premise that is computed the other way round: where it is true, the premise holds. *)
Class Premise (U : universe) (P : Prop) := { known : bool; follows : known = true -> P }.
Arguments known U P {_}.

(* A few of the locations in a set. *)
Class Members (U : universe) (X : loc -> Prop) := { some : list loc; belong : forall l, In l some -> X l }.
Arguments some U X {_}.

(* ---- logic ---- *)

Global Program Instance test_and U P Q `(Test U P) `(Test U Q) : Test U (P /\ Q) := {| test := test U P && test U Q |}.
Next Obligation. Proof. rewrite !refutes by auto; auto. Qed.

Global Program Instance test_implies U (P Q : Prop) `(Premise U P) `(Test U Q) : Test U (P -> Q) | 5 :=
  {| test := if known U P then test U Q else true |}.
Next Obligation. Proof. destruct (known U P) eqn:K; auto; apply refutes, H1, follows; auto. Qed.

Global Program Instance test_states U (P : state -> Prop) `(forall σ, Test U (P σ)) : Test U (forall σ, P σ) | 3 :=
  {| test := forallb (fun σ => test U (P σ)) (states U) |}.
Next Obligation. Proof. apply forallb_forall; intros; apply refutes; auto. Qed.

Global Program Instance test_numbers U (P : Z -> Prop) `(forall n, Test U (P n)) : Test U (forall n, P n) | 3 :=
  {| test := forallb (fun n => test U (P n)) (numbers U) |}.
Next Obligation. Proof. apply forallb_forall; intros; apply refutes; auto. Qed.

Global Program Instance test_namings U (P : name -> Prop) `(forall n, Test U (P n)) : Test U (forall n, P n) | 3 :=
  {| test := forallb (fun n => test U (P n)) (namings U) |}.
Next Obligation. Proof. apply forallb_forall; intros; apply refutes; auto. Qed.

Global Program Instance premise_or U P Q `(Premise U P) `(Premise U Q) : Premise U (P \/ Q) :=
  {| known := known U P || known U Q |}.
Next Obligation. Proof. apply orb_true_iff in H1 as [K | K]; [left | right]; apply follows; auto. Qed.

(* ---- numbers, names, expressions ---- *)

Global Program Instance test_less U m n : Test U (m < n) := {| test := m <? n |}.
Next Obligation. Proof. apply Z.ltb_lt; auto. Qed.
Global Program Instance test_at_most U m n : Test U (m <= n) := {| test := m <=? n |}.
Next Obligation. Proof. apply Z.leb_le; auto. Qed.
Global Program Instance test_number U (m n : Z) : Test U (m = n) := {| test := m =? n |}.
Next Obligation. Proof. apply Z.eqb_refl. Qed.
Global Program Instance test_truth U (p q : bool) : Test U (p = q) := {| test := Bool.eqb p q |}.
Next Obligation. Proof. apply Bool.eqb_reflx. Qed.
Global Program Instance test_nothing U (k : option Z) : Test U (k = None) :=
  {| test := match k with None => true | Some _ => false end |}.
Global Program Instance test_location U (l m : loc) : Test U (l = m) := {| test := if loc_eq l m then true else false |}.
Next Obligation. Proof. destruct (loc_eq m m); auto. Qed.
Global Program Instance test_differ U (x y : name) : Test U (x <> y) := {| test := negb (String.eqb x y) |}.
Next Obligation. Proof. apply negb_true_iff, String.eqb_neq; auto. Qed.
Global Program Instance test_absent U (x : name) L : Test U (~ In x L) := {| test := negb (existsb (String.eqb x) L) |}.
Next Obligation. Proof.
  apply negb_true_iff; destruct (existsb (String.eqb x) L) eqn:E; auto; exfalso.
  apply existsb_exists in E as (y & I & E); apply String.eqb_eq in E; subst; auto.
Qed.
Global Program Instance premise_unequal U (m n : Z) : Premise U (m <> n) := {| known := negb (m =? n) |}.
Next Obligation. Proof. intro E; rewrite E, Z.eqb_refl in *; discriminate. Qed.
Global Program Instance test_disjoint U X Y : Test U (disjoint X Y) :=
  {| test := forallb (fun n => negb (existsb (String.eqb n) Y)) X |}.
Next Obligation. Proof.
  apply forallb_forall; intros n N; apply negb_true_iff; destruct (existsb (String.eqb n) Y) eqn:E; auto; exfalso.
  apply existsb_exists in E as (m & I & E); apply String.eqb_eq in E; subst; eauto.
Qed.
Global Program Instance premise_in U (x : name) L : Premise U (In x L) := {| known := existsb (String.eqb x) L |}.
Next Obligation. Proof. apply existsb_exists in H as (y & I & E); apply String.eqb_eq in E; subst; auto. Qed.
Global Program Instance premise_differ U (x y : name) : Premise U (x <> y) := {| known := negb (String.eqb x y) |}.
Next Obligation. Proof. intros ->; rewrite String.eqb_refl in *; discriminate. Qed.
Global Program Instance premise_less U m n : Premise U (m < n) := {| known := m <? n |}.
Next Obligation. Proof. apply Z.ltb_lt; auto. Qed.
Global Program Instance premise_name U (x y : name) : Premise U (x = y) := {| known := String.eqb x y |}.
Next Obligation. Proof. apply String.eqb_eq; auto. Qed.

(* Equal expressions have equal values. *)
Global Program Instance test_expression U (s t : expr) : Test U (s = t) :=
  {| test := forallb (fun σ => eval nowhere σ s =? eval nowhere σ t) (states U) |}.
Next Obligation. Proof. apply forallb_forall; intros; apply Z.eqb_refl. Qed.

(* ---- statements ---- *)

Definition alike (U : universe) (σ τ : state) : bool := forallb (fun l => σ l =? τ l) (cells U).

Lemma alike_same : forall U σ, alike U σ σ = true.
Proof. intros; apply forallb_forall; intros; apply Z.eqb_refl. Qed.

Global Program Instance test_state U (σ τ : state) : Test U (σ = τ) := {| test := alike U σ τ |}.
Next Obligation. Proof. apply alike_same. Qed.

Global Program Instance test_equal U ρ A B : Test U (equal ρ A B) :=
  {| test := forallb (fun σ => alike U (exec ρ A σ) (exec ρ B σ)) (states U) |}.
Next Obligation. Proof. apply forallb_forall; intros; rewrite H; apply alike_same. Qed.

Global Instance test_in_memory U ρ v : Test U (in_memory ρ v).
Proof. refine {| test := match v with Simple x => match ρ x with None => true | _ => false end | _ => true end |}.
  destruct v; simpl; auto; intros ->; auto. Defined.

Fixpoint bounds_same (x : name) (A : stat) : bool :=
  match A with
  | Null | Assign _ _ => true
  | Seq A B => bounds_same x A && bounds_same x B
  | If _ A B => bounds_same x A && bounds_same x B
  | For _ lo hi A => negb (existsb (String.eqb x) (names lo)) && negb (existsb (String.eqb x) (names hi)) && bounds_same x A
  end.
Global Program Instance test_same_bounds U x A : Test U (same_bounds_for_all x A) := {| test := bounds_same x A |}.
Next Obligation. Proof.
  induction A; simpl in *; auto; try (destruct H; rewrite IHA1, IHA2; auto).
  destruct H as (L & H & S); rewrite IHA by auto.
  change (test U (~ In x (names lo)) && test U (~ In x (names hi)) && true = true); rewrite !refutes; auto.
Qed.

(* ---- locations ---- *)

Global Program Instance members_or U X Y `(Members U X) `(Members U Y) : Members U (fun l => X l \/ Y l) :=
  {| some := some U X ++ some U Y |}.
Next Obligation. Proof. apply in_app_iff in H1 as [I | I]; [left | right]; apply belong; auto. Qed.

Fixpoint read (U : universe) (ρ : env) (s : expr) : list loc :=
  match s with
  | Num _ => []
  | Var x => match ρ x with None => [Scalar x] | Some _ => [] end
  | Elem a i => map (fun σ => Cell a (eval ρ σ i)) (states U) ++ read U ρ i
  | Bin _ s t => read U ρ s ++ read U ρ t
  | Pick b s t => read_b U ρ b ++ read U ρ s ++ read U ρ t
  end
with read_b (U : universe) (ρ : env) (b : bexp) : list loc :=
  match b with
  | Truth _ => []
  | Rel _ s t => read U ρ s ++ read U ρ t
  | Not b => read_b U ρ b
  | Within s lo hi => read U ρ s ++ read U ρ lo ++ read U ρ hi
  end.

Lemma read_reads : forall U ρ,
  (forall s l, In l (read U ρ s) -> reads ρ s l) /\ (forall b l, In l (read_b U ρ b) -> reads_b ρ b l).
Proof.
  intros U ρ; apply expr_bexp_ind; simpl; intros; try contradiction; rewrite ?in_app_iff in *; auto;
    repeat match goal with H : _ \/ _ |- _ => destruct H end; auto.
  - destruct (ρ x); simpl in *; [contradiction | intuition].
  - left; apply in_map_iff in H0 as (σ & <- & _); eauto.
Qed.

Global Program Instance members_reads U ρ s : Members U (reads ρ s) := {| some := read U ρ s |}.
Next Obligation. Proof. apply (proj1 (read_reads U ρ)); auto. Qed.
Global Program Instance members_reads_b U ρ b : Members U (reads_b ρ b) := {| some := read_b U ρ b |}.
Next Obligation. Proof. apply (proj2 (read_reads U ρ)); auto. Qed.
Global Program Instance members_bounds U ρ lo hi : Members U (bounds_read ρ lo hi) :=
  {| some := read U ρ lo ++ read U ρ hi |}.
Next Obligation. Proof. apply in_app_iff in H as [I | I]; apply read_reads in I; [left | right]; auto. Qed.
Global Program Instance members_places U ρ v : Members U (places ρ v) := {| some := map (fun σ => locate ρ σ v) (states U) |}.
Next Obligation. Proof. apply in_map_iff in H as (σ & <- & _); exists σ; auto. Qed.
Global Program Instance members_index U ρ v : Members U (index_reads ρ v) :=
  {| some := match v with Simple _ => [] | Indexed _ i => read U ρ i end |}.
Next Obligation. Proof. destruct v; simpl in *; [contradiction | apply (proj1 (read_reads U ρ)); auto]. Qed.

(* The indices that a loop reaches from one of the states, each once. *)
Definition span (U : universe) (ρ : env) (lo hi : expr) : list Z :=
  nodup Z.eq_dec (flat_map (fun σ =>
    let a := eval ρ σ lo in map (fun n => a + Z.of_nat n) (seq 0 (trips a (eval ρ σ hi)))) (states U)).

Lemma span_reached : forall U ρ lo hi k, In k (span U ρ lo hi) -> reached ρ lo hi k.
Proof.
  unfold span; intros U ρ lo hi k I; apply nodup_In, in_flat_map in I as (σ & _ & I).
  apply in_map_iff in I as (n & <- & I); apply in_seq in I; exists σ; apply trips_in; lia.
Qed.

Definition can (U : universe) (ρ : env) (b : bexp) (p : bool) : bool :=
  existsb (fun σ => Bool.eqb (holds ρ σ b) p) (states U).

Lemma can_possible : forall U ρ b p, can U ρ b p = true -> possible ρ b p.
Proof. unfold can; intros U ρ b p C; apply existsb_exists in C as (σ & _ & E); apply eqb_prop in E; exists σ; auto. Qed.

Fixpoint written (U : universe) (ρ : env) (A : stat) : list loc :=
  match A with
  | Null => []
  | Assign v _ => map (fun σ => locate ρ σ v) (states U)
  | Seq A B => written U ρ A ++ written U ρ B
  | If b A B => (if can U ρ b true then written U ρ A else []) ++ (if can U ρ b false then written U ρ B else [])
  | For x lo hi A => flat_map (fun k => written U (bind x k ρ) A) (span U ρ lo hi)
  end.

Fixpoint loaded (U : universe) (ρ : env) (A : stat) : list loc :=
  match A with
  | Null => []
  | Assign v s => match v with Simple _ => [] | Indexed _ i => read U ρ i end ++ read U ρ s
  | Seq A B => loaded U ρ A ++ loaded U ρ B
  | If b A B => read_b U ρ b ++
      (if can U ρ b true then loaded U ρ A else []) ++ (if can U ρ b false then loaded U ρ B else [])
  | For x lo hi A => read U ρ lo ++ read U ρ hi ++ flat_map (fun k => loaded U (bind x k ρ) A) (span U ρ lo hi)
  end.

Lemma written_writes : forall U A ρ l, In l (written U ρ A) -> writes ρ A l.
Proof.
  induction A; simpl; intros ρ l I; rewrite ?in_app_iff in I.
  - contradiction.
  - apply in_map_iff in I as (σ & <- & _); exists σ; auto.
  - destruct I; auto.
  - destruct I as [I | I]; [left | right]; (destruct can eqn:C in I; [| contradiction]);
      split; eauto using can_possible.
  - apply in_flat_map in I as (k & K & I); eauto using span_reached.
Qed.

Lemma loaded_loads : forall U A ρ l, In l (loaded U ρ A) -> loads ρ A l.
Proof.
  induction A; simpl; intros ρ l I; rewrite ?in_app_iff in I.
  - contradiction.
  - destruct I as [I | I]; [left | right]; [destruct v; simpl in *; [contradiction |] |];
      apply (proj1 (read_reads U ρ)); auto.
  - destruct I; auto.
  - destruct I as [I | [I | I]]; [left; apply (proj2 (read_reads U ρ)); auto | right; left | right; right];
      (destruct can eqn:C in I; [| contradiction]); split; eauto using can_possible.
  - destruct I as [I | [I | I]]; [left | right; left | right; right];
      try (apply (proj1 (read_reads U ρ)); assumption).
    apply in_flat_map in I as (k & K & I); eauto using span_reached.
Qed.

Global Instance members_writes U ρ A : Members U (writes ρ A) := {| some := written U ρ A; belong := written_writes U A ρ |}.
Global Instance members_loads U ρ A : Members U (loads ρ A) := {| some := loaded U ρ A; belong := loaded_loads U A ρ |}.

(* What is in the set for a number is in it for one of the numbers. *)
Program Definition members_exists U (X : Z -> loc -> Prop) (M : forall k, Members U (X k)) :
  Members U (fun l => exists k, X k l) := {| some := flat_map (fun k => some U (X k)) (numbers U) |}.
Next Obligation. Proof. apply in_flat_map in H as (k & _ & I); exists k; apply belong in I; auto. Qed.
Program Definition members_reached U ρ lo hi (X : Z -> loc -> Prop) (M : forall k, Members U (X k)) :
  Members U (fun l => exists k, reached ρ lo hi k /\ X k l) :=
  {| some := flat_map (fun k => some U (X k)) (span U ρ lo hi) |}.
Next Obligation. Proof. apply in_flat_map in H as (k & K & I); exists k; apply belong in I; eauto using span_reached. Qed.
Global Hint Extern 4 (Members ?U (fun l => exists k, reached ?ρ ?lo ?hi k /\ @?X k l)) =>
  refine (members_reached U ρ lo hi X (fun k => _)); cbv beta : typeclass_instances.
Global Hint Extern 5 (Members ?U (fun l => exists k, @?X k l)) =>
  refine (members_exists U X (fun k => _)); cbv beta : typeclass_instances.
Global Instance members_eta U X (M : Members U X) : Members U (fun l => X l) | 9 := M.

Definition among (X : list loc) (l : loc) : bool := existsb (fun m => if loc_eq l m then true else false) X.

Global Program Instance test_apart U X Y `(Members U X) `(Members U Y) : Test U (apart X Y) :=
  {| test := let other := some U Y in forallb (fun l => negb (among other l)) (some U X) |}.
Next Obligation. Proof.
  apply forallb_forall; intros l I; apply negb_true_iff; destruct (among (some U Y) l) eqn:E; auto; exfalso.
  apply existsb_exists in E as (m & J & E); destruct (loc_eq l m) as [<- |]; [| discriminate].
  eapply H1; apply belong; eauto.
Qed.

(* For the iterations of a loop, those that are reached. *)
Global Program Instance test_reached U ρ lo hi (P : Z -> Prop) `(forall k, Test U (P k)) :
  Test U (forall k, reached ρ lo hi k -> P k) | 2 := {| test := forallb (fun k => test U (P k)) (span U ρ lo hi) |}.
Next Obligation. Proof. apply forallb_forall; intros; apply refutes; eauto using span_reached. Qed.

Global Program Instance premise_reached U ρ lo hi k : Premise U (reached ρ lo hi k) :=
  {| known := existsb (Z.eqb k) (span U ρ lo hi) |}.
Next Obligation. Proof.
  apply existsb_exists in H as (j & J & E); apply Z.eqb_eq in E; subst; eauto using span_reached.
Qed.

Global Program Instance premise_between U k m n : Premise U (m <= k <= n) := {| known := (m <=? k) && (k <=? n) |}.
Next Obligation. Proof. lia. Qed.

Global Program Instance premise_written U ρ A l : Premise U (writes ρ A l) := {| known := among (written U ρ A) l |}.
Next Obligation. Proof.
  apply existsb_exists in H as (m & J & E); destruct (loc_eq l m) as [<- |]; [| discriminate]; eauto using written_writes.
Qed.

Global Program Instance premise_loaded U ρ A l : Premise U (loads ρ A l) := {| known := among (loaded U ρ A) l |}.
Next Obligation. Proof.
  apply existsb_exists in H as (m & J & E); destruct (loc_eq l m) as [<- |]; [| discriminate]; eauto using loaded_loads.
Qed.

Global Program Instance premise_truth U (p q : bool) : Premise U (p = q) := {| known := Bool.eqb p q |}.
Next Obligation. Proof. apply eqb_prop; auto. Qed.

Global Program Instance test_cells U (P : loc -> Prop) `(forall l, Test U (P l)) : Test U (forall l, P l) | 3 :=
  {| test := forallb (fun l => test U (P l)) (cells U) |}.
Next Obligation. Proof. apply forallb_forall; intros; apply refutes; auto. Qed.

Global Program Instance members_within U ls X `(Members U X) : Members U (Stages.within ls X) :=
  {| some := filter (fun l => Stages.owned ls (label l)) (some U X) |}.
Next Obligation. Proof. apply filter_In in H0 as [I O]; split; auto; apply belong; auto. Qed.

(* ---- places and tables ---- *)

Definition strangers_by_name (X Y : list name) : bool := forallb (fun n => negb (existsb (String.eqb n) Y)) X.

Lemma disjoint_strangers : forall X Y, disjoint X Y -> strangers_by_name X Y = true.
Proof.
  intros X Y D; apply forallb_forall; intros n N; apply negb_true_iff; destruct (existsb (String.eqb n) Y) eqn:E; auto.
  exfalso; apply existsb_exists in E as (m & I & E); apply String.eqb_eq in E; subst; eapply D; eauto.
Qed.

(* What both hypotheses about places ask of each: that two sets of names have nothing in common. *)
Fixpoint every_place (names_of : stat -> list name) (A : Values.placed) : bool :=
  match A with
  | Values.Nothing | Values.Store _ _ => true
  | Values.Then A B | Values.Branch _ A B => every_place names_of A && every_place names_of B
  | Values.Loop _ _ _ A => every_place names_of A
  | Values.Here _ v A =>
      strangers_by_name (names_of (Values.erase A)) (names (Values.expression v)) && every_place names_of A
  end.

Global Program Instance test_in_scope U A : Test U (Values.in_scope A) := {| test := every_place bound A |}.
Next Obligation. Proof.
  induction A; simpl in *; auto; try (destruct H; rewrite IHA1, IHA2; auto).
  destruct H as [D S]; rewrite IHA, disjoint_strangers; auto.
Qed.
Global Program Instance test_loads_kept U A : Test U (Values.loads_kept A) := {| test := every_place sets A |}.
Next Obligation. Proof.
  induction A; simpl in *; auto; try (destruct H; rewrite IHA1, IHA2; auto).
  destruct H as [D S]; rewrite IHA, disjoint_strangers; auto.
Qed.

Definition reads_name (t : name) (L : list name) : bool := existsb (String.eqb t) L.

Lemma reads_name_in : forall t L, reads_name t L = true -> In t L.
Proof. intros t L R; apply existsb_exists in R as (y & I & E); apply String.eqb_eq in E; subst; auto. Qed.

Fixpoint wherever_read (U : universe) (t : name) (K : env -> bool) (ρ : env) (A : stat) : bool :=
  match A with
  | Null => true
  | Assign v s => if reads_name t (target_reads v ++ names s) then K ρ else true
  | Seq A B => wherever_read U t K ρ A && wherever_read U t K ρ B
  | If b A B =>
      (if reads_name t (names_b b) then K ρ else true) && wherever_read U t K ρ A && wherever_read U t K ρ B
  | For x lo hi A =>
      negb (reads_name t (names lo ++ names hi)) &&
      forallb (fun k => wherever_read U t K (bind x k ρ) A) (span U ρ lo hi)
  end.

Global Program Instance test_wherever U t (K : env -> Prop) ρ A `(forall ρ, Test U (K ρ)) :
  Test U (Values.wherever t K ρ A) := {| test := wherever_read U t (fun ρ => test U (K ρ)) ρ A |}.
Next Obligation. Proof.
  revert ρ H0; induction A; simpl; intros ρ W; auto.
  - destruct reads_name eqn:R; auto; apply refutes, W, reads_name_in; auto.
  - destruct W; rewrite IHA1, IHA2; auto.
  - destruct W as (C & W1 & W2); rewrite IHA1, IHA2 by auto.
    destruct reads_name eqn:R; auto; rewrite refutes; auto; apply C, reads_name_in; auto.
  - destruct W as [N W]; apply andb_true_iff; split.
    + apply negb_true_iff; destruct reads_name eqn:R; auto; exfalso; apply N, reads_name_in; auto.
    + apply forallb_forall; intros k I; apply IHA, W; eauto using span_reached.
Qed.

(* Arguments that are no expressions of White's, such as bounds found by binary search, are computed in the state that
   arrives. *)
Definition entry (U : universe) : state := match states U with σ :: _ => σ | [] => fun _ => 0 end.

Fixpoint iterated (limit : nat) (stop : Z * Z -> bool) (step : Z * Z -> Z * Z) (s : Z * Z) : Z * Z :=
  match limit with O => s | S n => if stop s then s else iterated n stop step (step s) end.

(* ---- from the statement of a lemma to its tests ---- *)

(* What a lemma comes to at an instance: its hypotheses in their order, and the statements that it says are equal. *)
Record instance := { hypotheses : list bool; sides : list (stat * stat) }.

Ltac bare P := eval cbv beta zeta delta
  [condition_unset holds_between later_interchangeable updates reads_no_other own_location interchangeable rises never_meets
   Values.unmentioned] in P.

Ltac equalities C :=
  lazymatch C with
  | ?P /\ ?Q => let a := equalities P in let b := equalities Q in constr:(a ++ b)
  | equal _ ?A ?B => constr:([(A, B)])
  | forall σ, Values.alike_off _ (exec _ ?A σ) (exec _ ?B σ) => constr:([(A, B)])
  | forall σ, Stages.alike_outside _ (exec _ ?A σ) (exec _ ?B σ) => constr:([(A, B)])
  | forall ρ σ, Values.exec_placed ρ ?A σ = exec ρ (Values.erase ?A) σ => constr:([(Values.erase A, Values.erase A)])
  | forall σ, exec _ ?A σ = @?other σ => constr:([(A, A)])
  | _ => constr:(@nil (stat * stat))
  end.

Ltac tests U T :=
  lazymatch T with
  | ?P -> ?Q => let r := tests U Q in
                let P' := bare P in
                lazymatch r with (?hs, ?es) => constr:((test U P' :: hs, es)) end
  | ?C => let es := equalities C in constr:((@nil bool, es))
  end.

(* Only the booleans are left of the tests, so that no proposition is computed along with them. *)
Ltac boolean t := eval cbv beta iota delta
  [test known some test_and test_implies test_states test_numbers test_namings premise_or test_less
   test_at_most test_number test_truth test_nothing test_location test_differ test_absent
   test_disjoint premise_less premise_unequal premise_name test_expression test_state test_equal test_in_memory
   members_or members_reads members_reads_b members_bounds members_places members_index members_writes
   members_loads members_exists members_reached members_eta test_apart test_reached premise_reached
   premise_in premise_differ test_in_scope test_loads_kept test_wherever
   premise_between premise_written premise_loaded premise_truth test_cells members_within] in t.

Ltac conclude U T :=
  let r := tests U T in
  lazymatch r with (?hs, ?es) => let hs := boolean hs in exact {| hypotheses := hs; sides := es |} end.

(* A lemma as a function from its arguments to what it comes to there. *)
Ltac at_instance U lemma :=
  let T := type of lemma in
  let T := eval cbv beta zeta in T in
  lazymatch T with
  | forall x : ?A, _ =>
      lazymatch type of A with
      | Prop => conclude U T
      | _ => let y := fresh x in exact (fun y : A => ltac:(at_instance U (lemma y)))
      end
  | _ => conclude U T
  end.
(* ---- the states that arrive at a place ---- *)

(* A block as the list of its statements, and back. *)
Fixpoint listed (A : stat) : list stat := match A with Null => [] | Seq A B => listed A ++ listed B | _ => [A] end.
Fixpoint joined (A : stat) (rest : list stat) : stat := match rest with [] => A | B :: rest => joined (Seq A B) rest end.
Definition block (l : list stat) : stat := match l with [] => Null | A :: rest => joined A rest end.

(* A place is a path: the arm and the position in it, from the outermost statement on. For every time that a program
   comes to it: the indices, the memory, and the statements from there on. *)
Fixpoint arrivals (path : list (nat * nat)) (A : list stat) (ρ : env) (σ : state) : list (env * state * list stat) :=
  match path with
  | [] => []
  | (_, n) :: below =>
      let τ := exec ρ (block (firstn n A)) σ in
      match below with
      | [] => [(ρ, τ, skipn n A)]
      | (arm, _) :: _ =>
          match nth_error A n with
          | Some (If b B C) =>
              if Bool.eqb (holds ρ τ b) (Nat.eqb arm 0)
              then arrivals below (listed (if Nat.eqb arm 0 then B else C)) ρ τ else []
          | Some (For x lo hi B) =>
              let first := eval ρ τ lo in
              let round k := (arrivals below (listed B) (bind x (fst k) ρ) (snd k)) in
              flat_map (fun n => round (first + Z.of_nat n, run (fun k => exec (bind x k ρ) B) first n τ))
                (seq 0 (trips first (eval ρ τ hi)))
          | _ => []
          end
      end
  end.

(* At an arrival, what the place does not set is as it is: a variable of the memory is as good as an index. *)
Definition hold (F : list name) (σ : state) (ρ : env) : env := fun y =>
  match ρ y with
  | Some n => Some n
  | None => if existsb (String.eqb y) F then Some (σ (Scalar y)) else None
  end.

Definition steady (ρ ρ' : env) (σ : state) (A : stat) : Prop :=
  forall y, ρ' y = ρ y \/ (ρ y = None /\ ρ' y = Some (σ (Scalar y)) /\ ~ In y (sets A)).

Lemma steady_value : forall ρ ρ' σ A, steady ρ ρ' σ A ->
  (forall s, eval ρ' σ s = eval ρ σ s) /\ (forall b, holds ρ' σ b = holds ρ σ b).
Proof.
  intros ρ ρ' σ A H; apply expr_bexp_ind; simpl; intros; try congruence.
  - destruct (H x) as [-> | (-> & -> & _)]; auto.
  - rewrite H0, H1, H2; auto.
Qed.

Theorem steady_exec : forall A ρ ρ' σ, steady ρ ρ' σ A -> exec ρ' A σ = exec ρ A σ.
Proof.
  induction A; intros ρ ρ' σ H; destruct (steady_value _ _ _ _ H) as [E B]; simpl; auto.
  - rewrite E; f_equal; destruct v; simpl; auto; rewrite E; auto.
  - assert (H1 : steady ρ ρ' σ A1).
    { intro y; destruct (H y) as [| (? & ? & N)]; auto; right; repeat split; auto; intro; apply N, in_app_iff; auto. }
    rewrite (IHA1 ρ ρ') by auto; apply IHA2.
    intro y; destruct (H y) as [| (? & K & N)]; auto; right; simpl in N; rewrite in_app_iff in N.
    repeat split; auto; rewrite K, unset_stays; auto; intro W; apply writes_sets in W; auto.
  - rewrite B; destruct holds; [apply IHA1 | apply IHA2]; intro y; destruct (H y) as [| (? & ? & N)]; auto; right;
      repeat split; auto; intro; apply N, in_app_iff; auto.
  - rewrite !E; apply (run_relates (fun α β => α = β /\ forall y, ~ In y (sets A) -> α (Scalar y) = σ (Scalar y))); auto.
    intros k α β K [<- S]; split.
    + apply IHA; intro y; unfold bind; destruct (string_dec x y); auto.
      destruct (H y) as [| (? & -> & N)]; auto; right; rewrite S; auto.
    + intros y N; rewrite unset_stays; auto; intro W; apply writes_sets in W; auto.
Qed.

Lemma hold_steady : forall F ρ σ A, disjoint F (sets A) -> steady ρ (hold F σ ρ) σ A.
Proof.
  intros F ρ σ A D y; unfold hold; destruct (ρ y); auto.
  destruct (existsb (String.eqb y) F) eqn:E; auto; right; repeat split; auto.
  apply existsb_exists in E as (z & I & E); apply String.eqb_eq in E; subst; intro J; apply (D z); auto.
Qed.

(* So what a lemma says where they are indices, it says of the memory that arrives. *)
Theorem as_it_arrives : forall F ρ σ A B, disjoint F (sets A) -> disjoint F (sets B) ->
  equal (hold F σ ρ) A B -> exec ρ A σ = exec ρ B σ.
Proof. intros F ρ σ A B DA DB E; rewrite <- !(steady_exec _ ρ (hold F σ ρ)) by auto using hold_steady; apply E. Qed.

(* ---- a lemma at a place ---- *)

(* Other contents of a memory, by arithmetic. *)
Definition other (seed : Z) (σ : state) : state := fun l =>
  match l with
  | Scalar _ => (σ l * 5 + seed * 3) mod 7 - 1
  | Cell _ i => (σ l * 3 + i * 5 + seed) mod 6
  end.

Definition positions (found : list bool) : list nat :=
  map fst (filter (fun e => negb (snd e)) (combine (seq 0 (length found)) found)).

(* The numbers of the hypotheses that fail at an arrival; that of the one after the last if the lemma is about something
   else than what stands there. *)
Definition failing_here (names : list name) (cells : list loc) (count : nat) (back : bool)
    (lemma : universe -> env -> instance) (arrival : env * state * list stat) : list nat :=
  let '(ρ, σ, rest) := arrival in
  let nothing := {| states := []; numbers := []; namings := []; cells := [] |} in
  let stated := sides (lemma nothing nowhere) in
  let changing := flat_map (fun e => sets (fst e) ++ sets (snd e)) stated in
  let fixed := filter (fun n => negb (existsb (String.eqb n) changing)) names in
  let U := {| states := [σ; other 1 σ; other 2 σ; other 3 (other 1 σ)]; numbers := [-1; 0; 1; 2; 3; 4];
              namings := names; cells := cells |} in
  let place := block (firstn count rest) in
  let found := lemma U (hold fixed σ ρ) in
  let about e := let A := if back : bool then snd e else fst e in
    forallb (fun τ => alike U (exec (hold fixed σ ρ) place τ) (exec (hold fixed σ ρ) A τ)) (states U) in
  positions (hypotheses found ++ [forallb about (sides found)]).

Definition failing (names : list name) (cells : list loc) (A : stat) (memories : list state) (path : list (nat * nat))
    (count : nat) (back : bool) (lemma : universe -> env -> instance) : list nat :=
  flat_map (fun σ => flat_map (failing_here names cells count back lemma) (firstn 3 (arrivals path (listed A) nowhere σ)))
    memories.

Definition at_interchange_equal (U : universe) := ltac:(at_instance U interchange_equal).
Definition at_interchange (U : universe) := ltac:(at_instance U interchange).
Definition at_interchange_updates (U : universe) := ltac:(at_instance U interchange_updates).
Definition at_interchange_with_substitution (U : universe) := ltac:(at_instance U interchange_with_substitution).
Definition at_interchange_with_backward_substitution (U : universe) := ltac:(at_instance U interchange_with_backward_substitution).
Definition at_backward_substitution_for_statements (U : universe) := ltac:(at_instance U backward_substitution_for_statements).
Definition at_compression_of_assignments (U : universe) := ltac:(at_instance U compression_of_assignments).
Definition at_compression_of_nullable (U : universe) := ltac:(at_instance U compression_of_nullable).
Definition at_absorption_before (U : universe) := ltac:(at_instance U absorption_before).
Definition at_absorption_after (U : universe) := ltac:(at_instance U absorption_after).
Definition at_absorption_with_substitution (U : universe) := ltac:(at_instance U absorption_with_substitution).
Definition at_if_splitting (U : universe) := ltac:(at_instance U if_splitting).
Definition at_if_splitting_other_first (U : universe) := ltac:(at_instance U if_splitting_other_first).
Definition at_if_of_known_condition (U : universe) := ltac:(at_instance U if_of_known_condition).
Definition at_if_of_nullable_arms (U : universe) := ltac:(at_instance U if_of_nullable_arms).
Definition at_if_of_equal_arms (U : universe) := ltac:(at_instance U if_of_equal_arms).
Definition at_if_conversion (U : universe) := ltac:(at_instance U if_conversion).
Definition at_branching (U : universe) := ltac:(at_instance U branching).
Definition at_loop_elimination (U : universe) := ltac:(at_instance U loop_elimination).
Definition at_single_iteration (U : universe) := ltac:(at_instance U single_iteration).
Definition at_loop_of_nullable_body (U : universe) := ltac:(at_instance U loop_of_nullable_body).
Definition at_unroll_last (U : universe) := ltac:(at_instance U unroll_last).
Definition at_unroll_first (U : universe) := ltac:(at_instance U unroll_first).
Definition at_unroll_tested (U : universe) := ltac:(at_instance U unroll_tested).
Definition at_full_unrolling (U : universe) := ltac:(at_instance U full_unrolling).
Definition at_peeling (U : universe) := ltac:(at_instance U peeling).
Definition at_loop_in_parts (U : universe) := ltac:(at_instance U loop_in_parts).
Definition at_index_set_splitting (U : universe) := ltac:(at_instance U index_set_splitting).
Definition at_strip_mining (U : universe) := ltac:(at_instance U strip_mining).
Definition at_tiling (U : universe) := ltac:(at_instance U tiling).
Definition at_loop_joining (U : universe) := ltac:(at_instance U loop_joining).
Definition at_loop_splitting (U : universe) := ltac:(at_instance U loop_splitting).
Definition at_loop_interchange (U : universe) := ltac:(at_instance U loop_interchange).
Definition at_code_motion (U : universe) := ltac:(at_instance U code_motion).
Definition at_unswitching (U : universe) := ltac:(at_instance U unswitching).
Definition at_loop_conditional_joining (U : universe) := ltac:(at_instance U loop_conditional_joining).
Definition at_condition_joining (U : universe) := ltac:(at_instance U condition_joining).
Definition at_loop_cutting (U : universe) := ltac:(at_instance U loop_cutting).
Definition at_iterations_in_any_order (U : universe) := ltac:(at_instance U iterations_in_any_order).
Definition at_iterations_in_lanes (U : universe) := ltac:(at_instance U iterations_in_lanes).
(* A program with places has no indices around it. *)
Definition at_places_change_no_value (U : universe) (_ : env) := ltac:(at_instance U Values.places_change_no_value).
Definition at_code_motion_under_guard (U : universe) := ltac:(at_instance U Values.code_motion_under_guard).
Definition at_table_of_a_column (U : universe) := ltac:(at_instance U Values.table_of_a_column).
Definition at_table_of_numbers (U : universe) := ltac:(at_instance U Values.table_of_numbers).
Definition at_computed_at (U : universe) := ltac:(at_instance U Stages.computed_at).
