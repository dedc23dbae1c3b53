package trial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank/examples/realcluster/internal/observe"
)

// circumstances brings the cluster into the state that the kind asks for. Afterwards no controller acts, and no
// pod that has to leave disappears before the trial is over.
func (r *Runner) circumstances(ctx context.Context, n int, kind *Kind, source *rand.Rand) error {
	// Pods without a start time have to be new. The controllers create them before they are paused.
	want := &kind.Before
	if want.Unstarted > 0 {
		r.Idle(true)
		if err := r.remove(ctx, want.Unstarted, source, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}); err != nil {
			return err
		}
		if err := r.rest(ctx, observe.Stillness{For: restFor, Unstarted: true}); err != nil {
			return err
		}
	}

	if err := r.Pause(); err != nil {
		return err
	}
	r.Hold(true)
	if want.Leaving > 0 {
		if err := r.remove(ctx, want.Leaving, source, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	for i, make := range want.Nominated {
		if err := r.create(ctx, make(source, fmt.Sprintf("%s-%d-earlier-%d", kind.Name, n, i))); err != nil {
			return err
		}
	}

	still := observe.Stillness{For: settleAfter, Leaving: true, Unstarted: want.Unstarted > 0}
	if want.any() {
		still.For = restFor
	}
	return r.rest(ctx, still)
}

// create creates a pod and waits until the scheduler has tried it.
func (r *Runner) create(ctx context.Context, p *corev1.Pod) error {
	created, err := r.Client.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	r.away = append(r.away, created)
	if !until(ctx, decideIn, func() bool { return decided(r.Pods.History(created.UID)) != nil }) {
		return fmt.Errorf("the scheduler has not tried %s within %v", key(p), decideIn)
	}
	return nil
}

// remove deletes n pods of deployments that are on nodes. source picks them.
func (r *Runner) remove(ctx context.Context, n int, source *rand.Rand, how metav1.DeleteOptions) error {
	var some []*corev1.Pod
	for _, p := range r.Pods.All() {
		owned := len(p.OwnerReferences) > 0 && p.OwnerReferences[0].Kind == "ReplicaSet"
		if owned && p.Namespace != r.Keep && p.Spec.NodeName != "" && p.DeletionTimestamp == nil {
			some = append(some, p)
		}
	}
	slices.SortFunc(some, func(a, b *corev1.Pod) int { return strings.Compare(key(a), key(b)) })
	source.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	for _, p := range some[:min(n, len(some))] {
		err := r.Client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, how)
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
