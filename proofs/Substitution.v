(* Substitution (3.4) and what it means (3.7).

   A name is replaced where it is read; a simple variable on the left of an assignment stays (3.4.3). An index of a
   loop inside hides a name. That nothing is captured is a condition of the lemmas, as White's theorems need it too
   (see Printed.v, G5). *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language Footprint.
Import ListNotations.
Open Scope Z_scope.

Fixpoint subst_expr (x : name) (t s : expr) : expr :=
  match s with
  | Num n => Num n
  | Var y => if string_dec x y then t else Var y
  | Elem a i => Elem a (subst_expr x t i)
  | Bin o s1 s2 => Bin o (subst_expr x t s1) (subst_expr x t s2)
  | Pick b s1 s2 => Pick (subst_bexp x t b) (subst_expr x t s1) (subst_expr x t s2)
  end
with subst_bexp (x : name) (t : expr) (b : bexp) : bexp :=
  match b with
  | Truth p => Truth p
  | Rel r s1 s2 => Rel r (subst_expr x t s1) (subst_expr x t s2)
  | Not b => Not (subst_bexp x t b)
  | Within s lo hi => Within (subst_expr x t s) (subst_expr x t lo) (subst_expr x t hi)
  end.

Definition subst_target (x : name) (t : expr) (v : target) : target :=
  match v with Simple y => Simple y | Indexed a i => Indexed a (subst_expr x t i) end.

Fixpoint subst (x : name) (t : expr) (A : stat) : stat :=
  match A with
  | Null => Null
  | Assign v s => Assign (subst_target x t v) (subst_expr x t s)
  | Seq A B => Seq (subst x t A) (subst x t B)
  | If b A B => If (subst_bexp x t b) (subst x t A) (subst x t B)
  | For y lo hi A =>
      For y (subst_expr x t lo) (subst_expr x t hi) (if string_dec x y then A else subst x t A)
  end.

Definition disjoint (X Y : list name) : Prop := forall n, In n X -> In n Y -> False.

(* ---- expressions (3.7.1) ---- *)

Lemma eval_subst_both : forall x t ρ σ,
  (forall s, eval ρ σ (subst_expr x t s) = eval (bind x (eval ρ σ t) ρ) σ s) /\
  (forall b, holds ρ σ (subst_bexp x t b) = holds (bind x (eval ρ σ t) ρ) σ b).
Proof.
  intros x t ρ σ; apply expr_bexp_ind; simpl; intros; try congruence.
  - unfold bind; destruct (string_dec x x0); auto.
  - rewrite H, H0, H1; auto.
Qed.

Lemma eval_subst : forall x t ρ σ s, eval ρ σ (subst_expr x t s) = eval (bind x (eval ρ σ t) ρ) σ s.
Proof. intros; apply eval_subst_both. Qed.

Lemma holds_subst : forall x t ρ σ b, holds ρ σ (subst_bexp x t b) = holds (bind x (eval ρ σ t) ρ) σ b.
Proof. intros; apply eval_subst_both. Qed.

Lemma locate_subst : forall x t ρ σ v, locate ρ σ (subst_target x t v) = locate (bind x (eval ρ σ t) ρ) σ v.
Proof. intros x t ρ σ [y | a i]; simpl; auto; rewrite eval_subst; auto. Qed.

(* Only the names that are read matter. *)
Lemma env_agrees_both : forall ρ ρ' σ,
  (forall s, (forall n, In n (names s) -> ρ n = ρ' n) -> eval ρ σ s = eval ρ' σ s) /\
  (forall b, (forall n, In n (names_b b) -> ρ n = ρ' n) -> holds ρ σ b = holds ρ' σ b).
Proof.
  intros ρ ρ' σ; apply expr_bexp_ind; simpl; intros; auto.
  - rewrite H; auto.
  - rewrite H; auto.
  - rewrite H, H0; auto; intros; apply H1, in_app_iff; auto.
  - rewrite H, H0, H1; auto; intros; apply H2; rewrite !in_app_iff; auto.
  - rewrite H, H0; auto; intros; apply H1, in_app_iff; auto.
  - rewrite H; auto.
  - rewrite H, H0, H1; auto; intros; apply H2; rewrite !in_app_iff; auto.
Qed.

Lemma eval_env : forall ρ ρ' σ s, (forall n, In n (names s) -> ρ n = ρ' n) -> eval ρ σ s = eval ρ' σ s.
Proof. intros; apply env_agrees_both; auto. Qed.

Lemma holds_env : forall ρ ρ' σ b, (forall n, In n (names_b b) -> ρ n = ρ' n) -> holds ρ σ b = holds ρ' σ b.
Proof. intros; apply env_agrees_both; auto. Qed.

Lemma exec_env : forall A ρ ρ' σ, (forall n, In n (uses A) -> ρ n = ρ' n) -> exec ρ A σ = exec ρ' A σ.
Proof.
  induction A; simpl; intros ρ ρ' σ E; auto.
  - rewrite (eval_env ρ ρ' σ s) by (intros; apply E, in_app_iff; auto).
    destruct v; simpl in *; auto.
    rewrite (eval_env ρ ρ' σ i) by (intros; apply E, in_app_iff; auto); auto.
  - rewrite (IHA1 ρ ρ'), (IHA2 ρ ρ'); auto; intros; apply E, in_app_iff; auto.
  - rewrite (holds_env ρ ρ' σ b) by (intros; apply E; rewrite !in_app_iff; auto).
    rewrite (IHA1 ρ ρ'), (IHA2 ρ ρ'); auto; intros; apply E; rewrite !in_app_iff; auto.
  - rewrite (eval_env ρ ρ' σ lo), (eval_env ρ ρ' σ hi) by (intros; apply E; rewrite !in_app_iff; auto).
    apply run_ext; intros k τ _; apply IHA; intros n N.
    unfold bind; destruct (string_dec x n); auto.
    apply E; rewrite !in_app_iff; right; right; apply in_in_remove; auto.
Qed.

Corollary exec_unused : forall A x k ρ σ, ~ In x (uses A) -> exec (bind x k ρ) A σ = exec ρ A σ.
Proof. intros; apply exec_env; intros n N; apply bind_other; intros ->; auto. Qed.

Corollary eval_unused : forall s x k ρ σ, ~ In x (names s) -> eval (bind x k ρ) σ s = eval ρ σ s.
Proof. intros; apply eval_env; intros n N; apply bind_other; intros ->; auto. Qed.

(* ---- statements ---- *)

Lemma disjoint_app : forall X Y Z, disjoint (X ++ Y) Z -> disjoint X Z /\ disjoint Y Z.
Proof. unfold disjoint; split; intros n ?; apply H, in_app_iff; auto. Qed.

Lemma apart_or : forall X Y Z, apart (fun l => X l \/ Y l) Z -> apart X Z /\ apart Y Z.
Proof. unfold apart; split; intros l ?; apply H; auto. Qed.

(* An expression that keeps its value while the statement runs may stand for a name. *)
Theorem substitute : forall A x t ρ ρ' σ,
  (forall n, In n (names t) -> ρ n = ρ' n) ->
  disjoint (bound A) (names t) ->
  apart (writes (bind x (eval ρ' σ t) ρ) A) (reads ρ' t) ->
  exec ρ (subst x t A) σ = exec (bind x (eval ρ' σ t) ρ) A σ.
Proof.
  induction A; simpl; intros x' t ρ ρ' σ N D W; auto.
  - rewrite locate_subst, eval_subst, (eval_env ρ ρ' σ t); auto.
  - apply disjoint_app in D as [D1 D2]; apply apart_or in W as [W1 W2].
    rewrite (IHA1 x' t ρ ρ') by auto.
    set (v := eval ρ' σ t) in *; set (τ := exec (bind x' v ρ) A1 σ).
    assert (E : eval ρ' τ t = v) by (apply value_survives; auto).
    rewrite (IHA2 x' t ρ ρ'), E; rewrite ?E; auto.
  - apply disjoint_app in D as [D1 D2].
    rewrite holds_subst, (eval_env ρ ρ' σ t) by auto.
    destruct holds eqn:H; [apply IHA1 | apply IHA2]; auto; intros l L; apply (W l); [left | right];
      split; auto; exists σ; auto.
  - rewrite !eval_subst, (eval_env ρ ρ' σ t) by auto.
    set (v := eval ρ' σ t) in *; set (a := eval _ σ lo); set (b := eval _ σ hi).
    apply (run_relates (fun α β => α = β /\ eval ρ' α t = v)); [| auto].
    intros k α β K [<- E].
    assert (R : reached (bind x' v ρ) lo hi k) by (exists σ; apply trips_in; auto).
    assert (X : exec (bind x k ρ) (if string_dec x' x then A else subst x' t A) α =
                exec (bind x k (bind x' v ρ)) A α).
    { destruct (string_dec x' x) as [-> | O]; [rewrite bind_twice; auto |].
      rewrite bind_commute by auto; rewrite <- E; apply IHA.
      - intros n I; rewrite bind_other; auto; intros ->; eapply D; simpl; eauto.
      - intros n I; apply D; simpl; auto.
      - rewrite E, <- bind_commute by auto; intros l L; apply (W l); exists k; auto. }
    split; [exact X |].
    rewrite X; transitivity (eval ρ' α t); auto.
    apply value_survives; intros l L; apply (W l); exists k; auto.
Qed.

(* White's own case: constants never fail. *)
Corollary subst_constant : forall A x n ρ σ, exec ρ (subst x (Num n) A) σ = exec (bind x n ρ) A σ.
Proof. intros; apply (substitute A x (Num n) ρ ρ); simpl; unfold disjoint, apart; auto. Qed.

(* Definition 3.5.3, as printed. *)
Theorem loop_as_printed : forall ρ x lo hi A σ,
  exec ρ (For x lo hi A) σ =
  let a := eval ρ σ lo in let b := eval ρ σ hi in
  if a <=? b then exec ρ (Seq (For x (Num a) (Num (b - 1)) A) (subst x (Num b) A)) σ else σ.
Proof.
  intros; simpl; set (a := eval ρ σ lo); set (b := eval ρ σ hi).
  destruct (Z.leb_spec a b); [| rewrite trips_none by lia; auto].
  rewrite subst_constant, (trips_last a b), run_one_more by lia; unfold trips; f_equal; f_equal; lia.
Qed.

(* Renaming an index: the other name is bound to the same number. *)
Theorem rename : forall A x y k ρ σ,
  ~ In x (uses A) -> ~ In x (bound A) -> exec (bind x k ρ) (subst y (Var x) A) σ = exec (bind y k ρ) A σ.
Proof.
  intros A x y k ρ σ U B.
  assert (V : forall τ, eval (bind x k ρ) τ (Var x) = k) by (intro; simpl; rewrite bind_same; auto).
  rewrite (substitute A y (Var x) _ (bind x k ρ)), V; auto.
  - destruct (string_dec x y) as [-> | O]; [rewrite bind_twice; auto |].
    rewrite bind_commute by auto; apply exec_unused; auto.
  - intros n N [<- | []]; auto.
  - intros l _; simpl; rewrite bind_same; intros [? _]; discriminate.
Qed.

(* ---- a variable that holds a value, and a name that stands for it ---- *)

Lemma value_held_both : forall x v ρ σ, ρ x = None ->
  (forall s, eval (bind x v ρ) σ s = eval ρ (set (Scalar x) v σ) s) /\
  (forall b, holds (bind x v ρ) σ b = holds ρ (set (Scalar x) v σ) b).
Proof.
  intros x v ρ σ F; apply expr_bexp_ind; simpl; intros; try congruence.
  - unfold bind; destruct (string_dec x x0) as [<- |]; [rewrite F, set_same; auto |].
    rewrite set_other by congruence; auto.
  - rewrite H, set_other by discriminate; auto.
  - rewrite H, H0, H1; auto.
Qed.

Lemma value_held : forall x v ρ σ s, ρ x = None -> eval (bind x v ρ) σ s = eval ρ (set (Scalar x) v σ) s.
Proof. intros; apply value_held_both; auto. Qed.

Lemma truth_held : forall x v ρ σ b, ρ x = None -> holds (bind x v ρ) σ b = holds ρ (set (Scalar x) v σ) b.
Proof. intros; apply value_held_both; auto. Qed.

Lemma location_held : forall x v ρ σ w, ρ x = None -> locate (bind x v ρ) σ w = locate ρ (set (Scalar x) v σ) w.
Proof. intros x v ρ σ [y | a i] F; simpl; auto; rewrite value_held; auto. Qed.

Theorem held : forall A x v ρ σ,
  ρ x = None -> ~ In x (sets A) -> ~ In x (bound A) ->
  exec ρ A (set (Scalar x) v σ) = set (Scalar x) v (exec (bind x v ρ) A σ).
Proof.
  induction A; simpl; intros x' v' ρ σ F S B.
  - auto.
  - rewrite value_held, location_held, set_commute; auto.
    destruct v; simpl in *; [intro E; injection E as ->; tauto | discriminate].
  - rewrite IHA1, IHA2; rewrite ?in_app_iff in *; tauto.
  - rewrite truth_held by auto.
    destruct holds; [apply IHA1 | apply IHA2]; rewrite ?in_app_iff in *; tauto.
  - rewrite !value_held by auto.
    apply (run_relates (fun α β => α = set (Scalar x') v' β)); auto.
    intros k α β _ ->; rewrite bind_commute by tauto; apply IHA; try tauto.
    rewrite bind_other; tauto.
Qed.

Lemma reached_held : forall ρ x v lo hi k, ρ x = None -> reached (bind x v ρ) lo hi k -> reached ρ lo hi k.
Proof. intros ρ x v lo hi k F [σ H]; rewrite !value_held in H by auto; eexists; eauto. Qed.

Lemma writes_held : forall A ρ x v l,
  ρ x = None -> ~ In x (bound A) -> writes (bind x v ρ) A l -> writes ρ A l.
Proof.
  induction A; simpl; intros ρ x' v' l F B W; rewrite ?in_app_iff in *; auto.
  - destruct W as [σ ->]; rewrite location_held by auto; eexists; reflexivity.
  - destruct W; [left; eapply IHA1 | right; eapply IHA2]; eauto.
  - destruct W as [[[σ P] W] | [[σ P] W]]; rewrite truth_held in P by auto;
      [left | right]; (split; [eexists; eauto |]); [eapply IHA1 | eapply IHA2]; eauto.
  - destruct W as (k & R & W); exists k; split; [eapply reached_held; eauto |].
    rewrite bind_commute in W by tauto; eapply IHA; eauto; rewrite bind_other; tauto.
Qed.
