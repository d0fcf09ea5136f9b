(* What statements set and use: by name, as White's static approximation does (3.9), and by location.

   A location is set or used at a place if it is in some state; so the sets do not depend on the state, and an index
   that is a function of loop indices alone counts as the cells it really reaches. Using means reading: White's own
   `uses` (3.8.1) contains what is set, which forbids too much and allows too much (see Printed.v, G4 and G8). *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language.
Import ListNotations.
Open Scope Z_scope.

(* ---- by name ---- *)

Fixpoint names (s : expr) : list name :=
  match s with
  | Num _ => []
  | Var x => [x]
  | Elem a i => a :: names i
  | Bin _ s t => names s ++ names t
  | Pick b s t => names_b b ++ names s ++ names t
  end
with names_b (b : bexp) : list name :=
  match b with
  | Truth _ => []
  | Rel _ s t => names s ++ names t
  | Not b => names_b b
  | Within s lo hi => names s ++ names lo ++ names hi
  end.

Definition target_name (v : target) : name := match v with Simple x => x | Indexed a _ => a end.
Definition target_reads (v : target) : list name := match v with Simple _ => [] | Indexed _ i => names i end.

(* livar: what is assigned *)
Fixpoint sets (A : stat) : list name :=
  match A with
  | Null => []
  | Assign v _ => [target_name v]
  | Seq A B => sets A ++ sets B
  | If _ A B => sets A ++ sets B
  | For _ _ _ A => sets A
  end.

(* The indices of the loops inside. *)
Fixpoint bound (A : stat) : list name :=
  match A with
  | Null | Assign _ _ => []
  | Seq A B => bound A ++ bound B
  | If _ A B => bound A ++ bound B
  | For x _ _ A => x :: bound A
  end.

(* What is read; an index of a loop inside is not. *)
Fixpoint uses (A : stat) : list name :=
  match A with
  | Null => []
  | Assign v s => target_reads v ++ names s
  | Seq A B => uses A ++ uses B
  | If b A B => names_b b ++ uses A ++ uses B
  | For x lo hi A => names lo ++ names hi ++ remove string_dec x (uses A)
  end.

(* ---- by location ---- *)

Fixpoint reads (ρ : env) (s : expr) (l : loc) : Prop :=
  match s with
  | Num _ => False
  | Var x => ρ x = None /\ l = Scalar x
  | Elem a i => (exists σ, l = Cell a (eval ρ σ i)) \/ reads ρ i l
  | Bin _ s t => reads ρ s l \/ reads ρ t l
  | Pick b s t => reads_b ρ b l \/ reads ρ s l \/ reads ρ t l
  end
with reads_b (ρ : env) (b : bexp) (l : loc) : Prop :=
  match b with
  | Truth _ => False
  | Rel _ s t => reads ρ s l \/ reads ρ t l
  | Not b => reads_b ρ b l
  | Within s lo hi => reads ρ s l \/ reads ρ lo l \/ reads ρ hi l
  end.

Definition places (ρ : env) (v : target) (l : loc) : Prop := exists σ, l = locate ρ σ v.
Definition index_reads (ρ : env) (v : target) (l : loc) : Prop :=
  match v with Simple _ => False | Indexed _ i => reads ρ i l end.

(* A condition that can have this outcome here; one on loop indices alone often cannot. *)
Definition possible (ρ : env) (b : bexp) (p : bool) : Prop := exists σ, holds ρ σ b = p.

Fixpoint writes (ρ : env) (A : stat) (l : loc) : Prop :=
  match A with
  | Null => False
  | Assign v _ => places ρ v l
  | Seq A B => writes ρ A l \/ writes ρ B l
  | If b A B => (possible ρ b true /\ writes ρ A l) \/ (possible ρ b false /\ writes ρ B l)
  | For x lo hi A => exists k, reached ρ lo hi k /\ writes (bind x k ρ) A l
  end.

Fixpoint loads (ρ : env) (A : stat) (l : loc) : Prop :=
  match A with
  | Null => False
  | Assign v s => index_reads ρ v l \/ reads ρ s l
  | Seq A B => loads ρ A l \/ loads ρ B l
  | If b A B =>
      reads_b ρ b l \/ (possible ρ b true /\ loads ρ A l) \/ (possible ρ b false /\ loads ρ B l)
  | For x lo hi A => reads ρ lo l \/ reads ρ hi l \/ exists k, reached ρ lo hi k /\ loads (bind x k ρ) A l
  end.

Definition apart (X Y : loc -> Prop) : Prop := forall l, X l -> Y l -> False.

Lemma apart_sym : forall X Y, apart X Y -> apart Y X.
Proof. unfold apart; firstorder. Qed.

Definition agree (X : loc -> Prop) (σ τ : state) : Prop := forall l, X l -> σ l = τ l.

(* ---- expressions depend on what they read ---- *)

Lemma value_agrees_both : forall ρ X σ τ, agree X σ τ ->
  (forall s, (forall l, reads ρ s l -> X l) -> eval ρ σ s = eval ρ τ s) /\
  (forall b, (forall l, reads_b ρ b l -> X l) -> holds ρ σ b = holds ρ τ b).
Proof.
  intros ρ X σ τ G; apply expr_bexp_ind; simpl; intros; auto.
  - destruct (ρ x) eqn:?; auto.
  - rewrite <- H by auto; apply G; apply H0; eauto.
  - rewrite H, H0; auto.
  - rewrite H, H0, H1; auto.
  - rewrite H, H0; auto.
  - rewrite H; auto.
  - rewrite H, H0, H1; auto.
Qed.

Lemma value_agrees : forall ρ σ τ s, agree (reads ρ s) σ τ -> eval ρ σ s = eval ρ τ s.
Proof. intros ρ σ τ s G; apply (proj1 (value_agrees_both ρ _ σ τ G)); auto. Qed.

Lemma truth_agrees : forall ρ σ τ b, agree (reads_b ρ b) σ τ -> holds ρ σ b = holds ρ τ b.
Proof. intros ρ σ τ b G; apply (proj2 (value_agrees_both ρ _ σ τ G)); auto. Qed.

Lemma location_agrees : forall ρ σ τ v, agree (index_reads ρ v) σ τ -> locate ρ σ v = locate ρ τ v.
Proof. intros ρ σ τ [x | a i] G; simpl; auto; f_equal; apply value_agrees; auto. Qed.

(* ---- the two frame theorems ---- *)

(* What a statement does not set stays. *)
Theorem unset_stays : forall A ρ σ l, ~ writes ρ A l -> exec ρ A σ l = σ l.
Proof.
  induction A; simpl; intros ρ σ l N; auto.
  - apply set_other; intro E; apply N; unfold places; eauto.
  - rewrite IHA2 by tauto; apply IHA1; tauto.
  - destruct (holds ρ σ b) eqn:H; [apply IHA1 | apply IHA2];
      intro W; apply N; [left | right]; split; auto; exists σ; auto.
  - apply (run_keeps (fun τ => τ l = σ l)); auto.
    intros k τ K <-; apply IHA; intro W; apply N.
    exists k; split; auto; exists σ; apply trips_in; auto.
Qed.

(* States that agree on all that is loaded, and on more, agree there still afterwards. *)
Theorem loaded_decides : forall A ρ (X : loc -> Prop) σ τ,
  (forall l, loads ρ A l -> X l) -> agree X σ τ -> agree X (exec ρ A σ) (exec ρ A τ).
Proof.
  induction A; simpl; intros ρ X σ τ U G.
  - auto.
  - intros l H. rewrite (location_agrees ρ σ τ v), (value_agrees ρ σ τ s).
    + unfold set; destruct (loc_eq (locate ρ τ v) l); auto.
    + intros m M; apply G, U; auto.
    + intros m M; apply G, U; auto.
  - auto.
  - rewrite (truth_agrees ρ σ τ b) by (intros m M; apply G, U; auto).
    destruct (holds ρ τ b) eqn:H; [apply IHA1 | apply IHA2]; auto;
      intros l L; apply U; right; [left | right]; split; auto; exists τ; auto.
  - rewrite (value_agrees ρ σ τ lo), (value_agrees ρ σ τ hi) by (intros m M; apply G, U; auto).
    apply (run_relates (agree X)); auto.
    intros k α β K H; apply IHA; auto.
    intros l L; apply U; right; right; exists k; split; auto.
    exists τ; apply trips_in; auto.
Qed.

(* And at every other location both do the same: the same value, or nothing. *)
Theorem loaded_decides_path : forall A ρ σ τ, agree (loads ρ A) σ τ ->
  forall l, exec ρ A σ l = exec ρ A τ l \/ (exec ρ A σ l = σ l /\ exec ρ A τ l = τ l).
Proof.
  intros A ρ σ τ G.
  assert (H : forall B ρ' α β, (forall l, loads ρ' B l -> loads ρ A l) -> agree (loads ρ A) α β ->
    forall l, exec ρ' B α l = exec ρ' B β l \/ (exec ρ' B α l = α l /\ exec ρ' B β l = β l)).
  { clear σ τ G; induction B; simpl; intros ρ' α β U G l; auto.
    - rewrite (location_agrees ρ' α β v), (value_agrees ρ' α β s) by (intros m M; apply G, U; auto).
      unfold set; destruct (loc_eq (locate ρ' β v) l); auto.
    - assert (G' : agree (loads ρ A) (exec ρ' B1 α) (exec ρ' B1 β)) by (apply loaded_decides; auto).
      destruct (IHB2 ρ' _ _ (fun m M => U m (or_intror M)) G' l) as [E | [E F]]; auto.
      rewrite E, F; apply IHB1; auto.
    - rewrite (truth_agrees ρ' α β b) by (intros m M; apply G, U; auto).
      destruct (holds ρ' β b) eqn:H; [apply IHB1 | apply IHB2]; auto;
        intros m M; apply U; right; [left | right]; split; auto; exists β; auto.
    - rewrite (value_agrees ρ' α β lo), (value_agrees ρ' α β hi) by (intros m M; apply G, U; auto).
      apply (run_relates (fun γ δ => agree (loads ρ A) γ δ /\ (γ l = δ l \/ (γ l = α l /\ δ l = β l)))); auto.
      intros k γ δ K [G' D].
      assert (U' : forall m, loads (bind x k ρ') B m -> loads ρ A m).
      { intros m M; apply U; right; right; exists k; split; auto; exists β; apply trips_in; auto. }
      split; [apply loaded_decides; auto |].
      destruct (IHB (bind x k ρ') γ δ U' G' l) as [E | [E F]]; auto.
      rewrite E, F; auto. }
  apply H; auto.
Qed.

(* Doing a statement twice is doing it once, if it uses nothing that it sets. *)
Corollary idempotent_if_apart : forall ρ A, apart (writes ρ A) (loads ρ A) -> equal ρ (Seq A A) A.
Proof.
  intros ρ A S σ; extensionality l; simpl.
  assert (G : agree (loads ρ A) (exec ρ A σ) σ) by (intros m M; apply unset_stays; intro; apply (S m); auto).
  destruct (loaded_decides_path A ρ _ _ G l) as [E | [E _]]; auto.
Qed.

(* Values that a statement cannot change. *)
Lemma value_survives : forall ρ ρ' A s σ, apart (writes ρ A) (reads ρ' s) -> eval ρ' (exec ρ A σ) s = eval ρ' σ s.
Proof. intros; apply value_agrees; intros l L; apply unset_stays; eauto. Qed.

Lemma truth_survives : forall ρ ρ' A b σ,
  apart (writes ρ A) (reads_b ρ' b) -> holds ρ' (exec ρ A σ) b = holds ρ' σ b.
Proof. intros; apply truth_agrees; intros l L; apply unset_stays; eauto. Qed.

(* ---- names are a floor under locations ---- *)

Definition label (l : loc) : name := match l with Scalar x => x | Cell a _ => a end.

Lemma reads_names : forall ρ,
  (forall s l, reads ρ s l -> In (label l) (names s)) /\ (forall b l, reads_b ρ b l -> In (label l) (names_b b)).
Proof.
  intro ρ; apply expr_bexp_ind; simpl; intros; try contradiction; rewrite ?in_app_iff;
    repeat match goal with H : _ \/ _ |- _ => destruct H | H : _ /\ _ |- _ => destruct H end;
    subst; simpl; auto.
  match goal with H : exists _, _ |- _ => destruct H as [σ ->] end; simpl; auto.
Qed.

Lemma reads_not_bound : forall ρ x n,
  (forall s l, reads (bind x n ρ) s l -> l <> Scalar x) /\ (forall b l, reads_b (bind x n ρ) b l -> l <> Scalar x).
Proof.
  intros ρ x n; apply expr_bexp_ind; simpl; intros; try contradiction.
  - destruct H as [H ->]; intro E; injection E as ->; rewrite bind_same in H; discriminate.
  - destruct H0 as [[σ ->] |]; [discriminate | auto].
  - destruct H1; auto.
  - destruct H2 as [| []]; auto.
  - destruct H1; auto.
  - auto.
  - destruct H2 as [| []]; auto.
Qed.

Theorem writes_sets : forall A ρ l, writes ρ A l -> In (label l) (sets A).
Proof.
  induction A; simpl; intros ρ l W; rewrite ?in_app_iff.
  - contradiction.
  - destruct v, W as [σ ->]; simpl; auto.
  - destruct W; eauto.
  - destruct W as [[_ W] | [_ W]]; eauto.
  - destruct W as (k & _ & W); eauto.
Qed.

Lemma names_in : forall s ρ l, reads ρ s l -> In (label l) (names s).
Proof. intros s ρ; apply (proj1 (reads_names ρ)). Qed.

Lemma names_in_b : forall b ρ l, reads_b ρ b l -> In (label l) (names_b b).
Proof. intros b ρ; apply (proj2 (reads_names ρ)). Qed.
