package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank/examples/realcluster/internal/audit"
	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
)

// Burst is the result of a burst of pods.
type Burst struct {
	Scheduler, Fault string
	// Pods counts the pods that were created.
	Pods int
	// Unbound counts the pods that had no node when the wait was given up.
	Unbound int
	// After is the time until the last pod was bound, or until the wait was given up.
	After time.Duration
	// Odd counts the odd objects that the API server accepted.
	Odd int
	// Unlike lists the differences between the mirror that has followed the cluster and a fresh list after the
	// burst.
	Unlike []string
	audit.Report

	label string
}

// String returns the figures of the burst on one line.
func (b *Burst) String() string {
	return fmt.Sprintf("%s %s: %d of %d pods bound after %.1f s; %d victims, %d against a budget, %d deleted twice, %d by two processes; %d odd objects; mirror differs in %.300q",
		b.label, b.Fault, b.Pods-b.Unbound, b.Pods, b.After.Seconds(), b.Victims, b.AgainstBudget, len(b.Twice), len(b.Both), b.Odd, b.Unlike)
}

const (
	// burstLasts is the shortest duration of a burst.
	burstLasts = 45 * time.Second
	// burstApart is the time between the beginnings of two bursts.
	burstApart = time.Minute
	// underWay is the number of pods that have to wait for their victims when a fault strikes.
	underWay = 10
	// untilUnder is the longest time to wait for these pods.
	untilUnder = 20 * time.Second
)

// sendBurst creates pods, lets a fault strike while some of them wait for their victims to end, waits until all
// are bound, removes them and checks the result.
func (r *Runner) sendBurst(ctx context.Context, b *Burst, pods []*corev1.Pod, fault Fault, running []*controlplane.Replica) error {
	begun := time.Now()
	r.Pods.Forget()

	odd := &oddities{client: r.Client}
	if fault.odd {
		if err := odd.add(ctx, rand.New(rand.NewPCG(r.Seed, 0)), r.running()); err != nil {
			return err
		}
		b.Odd = odd.taken
	}
	if err := r.create(ctx, named(pods, b.label)); err != nil {
		return err
	}
	b.Pods = len(pods)
	if fault.strike != nil {
		if err := r.strike(ctx, b, fault, running); err != nil {
			return err
		}
	}

	// After the last pod was bound, the cluster goes on changing until the burst has lasted long enough, so
	// that all bursts are comparable.
	until(ctx, patience, func() bool { b.Unbound = r.unbound(b.label); return b.Unbound == 0 })
	b.After = time.Since(begun)
	r.sleep(ctx, burstLasts-time.Since(begun))
	if err := r.end(ctx, b, odd); err != nil {
		return err
	}

	r.sleep(ctx, burstApart-time.Since(begun))
	var err error
	b.Report, err = r.Judge.Report()
	return err
}

// strike lets a fault strike the leader once enough pods wait for their victims.
func (r *Runner) strike(ctx context.Context, b *Burst, fault Fault, running []*controlplane.Replica) error {
	leads, err := r.awaitLeader(ctx, running)
	if err != nil {
		return err
	}
	if !until(ctx, untilUnder, func() bool { return r.nominated(b.label) >= underWay }) {
		r.Say("no %d pods of %s wait for their victims", underWay, b.label)
	}
	r.Say("%s strikes %s, process %d", fault.Name, leads.Name, leads.Process().ID())
	return fault.strike(ctx, struck{cluster: r.Cluster, leader: leads})
}

// end removes the pods of the burst. After a fault it first compares the mirror with a fresh list.
func (r *Runner) end(ctx context.Context, b *Burst, odd *oddities) (err error) {
	if b.Fault == "" {
		return insist(ctx, func() error { return r.remove(ctx, b.label) })
	}

	r.quiet.Lock()
	defer r.quiet.Unlock()
	err = insist(ctx, func() (err error) {
		b.Unlike, err = differences(ctx, r.Client, r.Followed)
		return err
	})
	if err == nil {
		err = insist(ctx, func() error { return odd.remove(ctx) })
	}
	if err == nil {
		err = insist(ctx, func() error { return r.remove(ctx, b.label) })
	}
	return err
}

// insist tries until do succeeds or the time is up. An API server that is busy, or that has just started,
// sometimes fails.
func insist(ctx context.Context, do func() error) (err error) {
	until(ctx, patience, func() bool { err = do(); return err == nil })
	return err
}

func (r *Runner) sleep(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// create creates pods, several at a time.
func (r *Runner) create(ctx context.Context, pods []*corev1.Pod) error {
	var (
		all   sync.WaitGroup
		next  = make(chan *corev1.Pod)
		once  sync.Once
		wrong error
	)
	for range 8 {
		all.Go(func() {
			for p := range next {
				if _, err := r.Client.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{}); err != nil {
					once.Do(func() { wrong = err })
				}
			}
		})
	}
	for _, p := range pods {
		next <- p
	}
	close(next)
	all.Wait()
	return wrong
}

// remove deletes the pods of a burst without a grace period.
func (r *Runner) remove(ctx context.Context, label string) error {
	now := int64(0)
	return r.Client.CoreV1().Pods(Namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{LabelSelector: burstLabel + "=" + label})
}

func (r *Runner) unbound(label string) int {
	return r.count(label, func(p *corev1.Pod) bool { return p.Spec.NodeName == "" })
}

func (r *Runner) nominated(label string) int {
	return r.count(label, func(p *corev1.Pod) bool { return p.Spec.NodeName == "" && p.Status.NominatedNodeName != "" })
}

func (r *Runner) count(label string, is func(*corev1.Pod) bool) (n int) {
	for _, p := range r.Pods.All() {
		if p.Labels[burstLabel] == label && is(p) {
			n++
		}
	}
	return n
}
