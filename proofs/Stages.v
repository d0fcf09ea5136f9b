(* Stages: a loop that fills arrays, and one that loads from them, become one loop, in which the arrays are parts.

   The first loop stands for a value of every iteration of the second. Computed at that iteration, it needs the part of
   the arrays that the iteration loads, and no more: so positions are counted from where the part begins. *)

From Coq Require Import ZArith String List Bool Lia FunctionalExtensionality.
From Hops Require Import Language Footprint Substitution Statements Loops Values.
Import ListNotations.
Open Scope Z_scope.

(* The arrays, each with the length of a part. *)
Fixpoint part (ls : list (name * Z)) (a : name) : option Z :=
  match ls with [] => None | (b, n) :: rest => if string_dec a b then Some n else part rest a end.

Definition owned (ls : list (name * Z)) (a : name) : bool := match part ls a with Some _ => true | None => false end.

(* A statement with positions in these arrays counted from the part of iteration x. *)
Fixpoint near (ls : list (name * Z)) (x : name) (s : expr) : expr :=
  match s with
  | Num n => Num n
  | Var y => Var y
  | Elem a i =>
      Elem a (match part ls a with Some n => Bin Sub (near ls x i) (Bin Mul (Var x) (Num n)) | None => near ls x i end)
  | Bin o s t => Bin o (near ls x s) (near ls x t)
  | Pick b s t => Pick (near_b ls x b) (near ls x s) (near ls x t)
  end
with near_b (ls : list (name * Z)) (x : name) (b : bexp) : bexp :=
  match b with
  | Truth p => Truth p
  | Rel r s t => Rel r (near ls x s) (near ls x t)
  | Not b => Not (near_b ls x b)
  | Within s lo hi => Within (near ls x s) (near ls x lo) (near ls x hi)
  end.

Definition near_target (ls : list (name * Z)) (x : name) (v : target) : target :=
  match v with
  | Simple y => Simple y
  | Indexed a i =>
      Indexed a (match part ls a with Some n => Bin Sub (near ls x i) (Bin Mul (Var x) (Num n)) | None => near ls x i end)
  end.

Fixpoint nearby (ls : list (name * Z)) (x : name) (A : stat) : stat :=
  match A with
  | Null => Null
  | Assign v s => Assign (near_target ls x v) (near ls x s)
  | Seq A B => Seq (nearby ls x A) (nearby ls x B)
  | If b A B => If (near_b ls x b) (nearby ls x A) (nearby ls x B)
  | For y lo hi A => For y (near ls x lo) (near ls x hi) (nearby ls x A)
  end.

(* Where a location of the part of iteration k is in the whole array, and back. *)
Definition far (ls : list (name * Z)) (k : Z) (l : loc) : loc :=
  match l with
  | Scalar _ => l
  | Cell a i => match part ls a with Some n => Cell a (i + k * n) | None => l end
  end.

Definition view (ls : list (name * Z)) (k : Z) (σ : state) : state := fun l => σ (far ls k l).

Lemma far_back : forall ls k l, far ls k (far ls (- k) l) = l.
Proof.
  intros ls k [x | a i]; simpl; auto; destruct (part ls a) eqn:E; simpl; rewrite E; auto; f_equal; ring.
Qed.

Lemma view_back : forall ls k σ, view ls k (view ls (- k) σ) = σ.
Proof.
  intros; extensionality l; unfold view; f_equal.
  rewrite <- (far_back ls (- k) l) at 2; rewrite Z.opp_involutive; auto.
Qed.

Lemma far_label : forall ls k l, label (far ls k l) = label l.
Proof. intros ls k [x | a i]; simpl; auto; destruct (part ls a); auto. Qed.

Lemma far_unowned : forall ls k l, owned ls (label l) = false -> far ls k l = l.
Proof. unfold owned; intros ls k [x | a i]; simpl; auto; destruct (part ls a); auto; discriminate. Qed.

Lemma near_value : forall ls x k ρ σ, ρ x = Some k ->
  (forall s, eval ρ (view ls k σ) (near ls x s) = eval ρ σ s) /\
  (forall b, holds ρ (view ls k σ) (near_b ls x b) = holds ρ σ b).
Proof.
  intros ls x k ρ σ X; apply expr_bexp_ind; simpl; intros; try congruence; auto.
  - destruct (part ls a) eqn:E; simpl; rewrite ?X, H; unfold view; simpl; rewrite E; auto; do 2 f_equal; ring.
  - rewrite H, H0, H1; auto.
Qed.

Lemma view_set : forall ls k l n σ, set l n (view ls k σ) = view ls k (set (far ls k l) n σ).
Proof.
  intros; extensionality m; unfold view, set.
  destruct (loc_eq l m) as [<- | D]; [destruct loc_eq; congruence |].
  destruct (loc_eq (far ls k l) (far ls k m)) as [E | E]; auto.
  exfalso; apply D; rewrite <- (far_back ls (- k) l), <- (far_back ls (- k) m), Z.opp_involutive, E; auto.
Qed.

Lemma near_exec : forall ls x k A ρ σ, ρ x = Some k -> ~ In x (bound A) ->
  exec ρ (nearby ls x A) (view ls k σ) = view ls k (exec ρ A σ).
Proof.
  intros ls x k; induction A; simpl; intros ρ σ X N.
  - auto.
  - destruct (near_value ls x k ρ σ X) as [V _]; rewrite V, view_set; f_equal; f_equal.
    destruct v as [y | a i]; simpl; auto.
    destruct (part ls a) eqn:E; simpl; rewrite ?E, ?X, V; auto; f_equal; ring.
  - rewrite IHA1, IHA2; auto; intro I; apply N, in_app_iff; auto.
  - destruct (near_value ls x k ρ σ X) as [_ V]; rewrite V.
    destruct holds; [apply IHA1 | apply IHA2]; auto; intro I; apply N, in_app_iff; auto.
  - destruct (near_value ls x k ρ σ X) as [V _]; rewrite !V.
    apply (run_relates (fun α β => α = view ls k β)); auto.
    intros j α β _ ->; apply IHA; [| tauto].
    rewrite bind_other; auto; intros ->; tauto.
Qed.

(* The arrays with one number everywhere: what was in them before. *)
Definition blank (ls : list (name * Z)) (n : Z) (σ : state) : state :=
  fun l => if owned ls (label l) then n else σ l.

(* Alike but for the arrays. *)
Definition alike_outside (ls : list (name * Z)) (σ τ : state) : Prop :=
  forall l, owned ls (label l) = false -> σ l = τ l.

(* Of some locations, those in the arrays. *)
Definition within (ls : list (name * Z)) (X : loc -> Prop) : loc -> Prop := fun l => owned ls (label l) = true /\ X l.

(* A value is computed where an iteration wants it, and not before the loop for all of them. *)
Theorem computed_at : forall ρ x lo hi ls A B
  (legal_indices : ~ In x (bound A) /\ ~ In x (bound B))
  (fills_only : forall n, In n (sets A) -> owned ls n = true)
  (shape_fixed_bounds : disjoint (sets A ++ sets B) (names lo ++ names hi))
  (memory_unchanged : apart (writes ρ (For x lo hi B)) (loads ρ (For x lo hi A)))
  (own_part : forall j k, reached ρ lo hi j -> reached ρ lo hi k -> j < k ->
     apart (writes (bind x k ρ) A) (loads (bind x j ρ) B) /\ apart (within ls (writes (bind x j ρ) B)) (loads (bind x k ρ) B))
  (legal_stored_first : forall k, reached ρ lo hi k -> forall σ n l,
     owned ls (label l) = true -> loads (bind x k ρ) B l ->
     exec (bind x k ρ) A (blank ls n σ) l = exec (bind x k ρ) A σ l),
  forall σ, alike_outside ls
    (exec ρ (Seq (For x lo hi A) (For x lo hi B)) σ)
    (exec ρ (For x lo hi (Seq (nearby ls x A) (nearby ls x B))) σ).
Proof.
  intros ρ x lo hi ls A B (XA & XB) F K M O First σ; rewrite exec_seq, !exec_for.
  set (p := fun k => exec (bind x k ρ) A); set (c := fun k => exec (bind x k ρ) B).
  set (a := eval ρ σ lo); set (b := eval ρ σ hi).
  set (σ' := run p a (trips a b) σ).
  assert (WA : forall ρ' τ l, owned ls (label l) = false -> exec ρ' A τ l = τ l).
  { intros; apply unset_stays; intro W; apply writes_sets, F in W; congruence. }
  assert (RA : forall n τ l, owned ls (label l) = false -> run p a n τ l = τ l).
  { intros n τ l U; apply (run_keeps (fun ν => ν l = τ l)); auto; intros k ν _ <-; apply WA; auto. }
  assert (E : eval ρ σ' lo = a /\ eval ρ σ' hi = b).
  { assert (G : forall s, (forall m, In m (names s) -> In m (names lo ++ names hi)) -> eval ρ σ' s = eval ρ σ s).
    { intros s I; apply (run_keeps (fun τ => eval ρ τ s = eval ρ σ s)); auto.
      intros k τ _ <-; apply value_survives, sets_apart_from.
      intros m P Q; apply (K m); auto; apply in_app_iff; auto. }
    split; apply G; intros; apply in_app_iff; auto. }
  destruct E as [-> ->].
  assert (Reach : forall k, a <= k <= b -> reached ρ lo hi k) by (intros; exists σ; auto).
  (* After the same number of iterations: alike outside, the arrays are as filled, and what A loads is as it was. *)
  set (q := fun k τ => exec (bind x k ρ) (Seq (nearby ls x A) (nearby ls x B)) τ).
  assert (H : forall n, (n <= trips a b)%nat ->
    let α := run c a n σ' in let β := run q a n σ in
    alike_outside ls α β /\
    (forall j l, a + Z.of_nat n <= j <= b -> loads (bind x j ρ) B l -> owned ls (label l) = true -> α l = σ' l) /\
    (forall l, owned ls (label l) = false -> loads ρ (For x lo hi A) l -> α l = σ l)).
  { induction n; intro N; cbv zeta.
    - change (run c a 0 σ') with σ'; change (run q a 0 σ) with σ.
      split; [intros l U | split; [intros j l _ _ _ | intros l U _]]; auto; unfold σ'; apply RA; auto.
    - destruct IHn as (Al & Fi & Un); [lia |]; rewrite !run_one_more.
      set (α := run c a n σ') in *; set (β := run q a n σ) in *; set (k := a + Z.of_nat n).
      assert (J : a <= k <= b) by (apply trips_in; unfold k; lia).
      set (γ := view ls (- k) β).
      assert (Q : q k β = view ls k (c k (p k γ))).
      { unfold q, c, p; simpl; rewrite <- (view_back ls k β) at 1; fold γ.
        rewrite near_exec, near_exec by (auto using bind_same); auto. }
      assert (G : forall l, owned ls (label l) = false -> γ l = β l).
      { intros l U; unfold γ, view; rewrite far_unowned; auto. }
      assert (Agree : agree (fun l => loads (bind x k ρ) B l \/ owned ls (label l) = false) α (p k γ)).
      { intros l [Lo | U]; [| unfold p; rewrite WA, G by auto; apply Al; auto].
        destruct (owned ls (label l)) eqn:U; [| unfold p; rewrite WA, G by auto; apply Al; auto].
        rewrite (Fi k l) by (auto; fold k; lia).
        (* Later iterations do not store there. *)
        assert (Late : σ' l = p k (run p a n σ) l).
        { unfold σ'; replace (trips a b) with (S n + (trips a b - S n))%nat by lia.
          rewrite run_app, run_one_more; fold k; set (τ := p k (run p a n σ)).
          apply (run_keeps (fun ν => ν l = τ l)); auto.
          intros m ν Jm <-; apply unset_stays; intro W.
          apply (proj1 (O k m (Reach k J) (Reach m ltac:(unfold trips, k in *; lia)) ltac:(unfold k; lia)) l); auto. }
        rewrite Late; change (p k) with (exec (bind x k ρ) A); rewrite <- (First k (Reach k J) _ 0 l U Lo), <- (First k (Reach k J) γ 0 l U Lo).
        (* Both begin with blank arrays, and alike in what A loads. *)
        assert (T : agree (loads (bind x k ρ) A) (blank ls 0 (run p a n σ)) (blank ls 0 γ)).
        { intros m Lm; unfold blank; destruct (owned ls (label m)) eqn:V; auto.
          assert (Us : loads ρ (For x lo hi A) m) by (right; right; exists k; split; auto).
          rewrite RA, G by auto; rewrite <- (Al m V); symmetry; apply Un; auto. }
        destruct (loaded_decides_path A (bind x k ρ) _ _ T l) as [-> | [-> ->]]; auto.
        unfold blank; rewrite U; auto. }
      split; [| split].
      + intros l U; rewrite Q; unfold view; rewrite far_unowned by auto; unfold c.
        apply (loaded_decides B (bind x k ρ) (fun l => loads (bind x k ρ) B l \/ owned ls (label l) = false)); auto.
      + intros j l Jj Lo U; unfold c; rewrite unset_stays; [apply (Fi j); auto; lia |].
        intro W; apply (proj2 (O k j (Reach k J) (Reach j ltac:(unfold k in *; lia)) ltac:(unfold k; lia)) l); unfold within; auto.
      + intros l U I; unfold c; rewrite unset_stays; auto.
        intro W; apply (M l); auto; exists k; auto.
  }
  apply (H (trips a b)); auto.
Qed.
