package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	"github.com/outrank-go/outrank/examples/realcluster/internal/audit"
	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
	"github.com/outrank-go/outrank/examples/realcluster/internal/observe"
)

// Scheduler is a scheduler that is put under load.
type Scheduler struct {
	Name string
	controlplane.Scheduler
}

// Runner puts schedulers under load, one after the other, in the same cluster.
type Runner struct {
	Cluster *controlplane.Cluster
	Client  kubernetes.Interface
	Pods    *observe.Pods
	// Followed has followed informers since the cluster was empty.
	Followed *mirror.Mirror
	Judge    *audit.Judge
	Seed     uint64
	Say      func(format string, args ...any)

	workloads []fill.Workload
	// quiet is locked while only the scheduler may change the cluster.
	quiet sync.RWMutex
}

// replicas is the number of processes of a scheduler that run at the same time.
const replicas = 2

// Run puts each scheduler under load in two rounds of the same length. The faults strike in the second round,
// one after the other.
func (r *Runner) Run(ctx context.Context, schedulers []Scheduler, length time.Duration, faults []Fault) (*Table, error) {
	t := &Table{}
	r.workloads = workloads(rand.New(rand.NewPCG(r.Seed, 0)))
	for round := range rounds {
		for _, s := range schedulers {
			next := turn{scheduler: s, round: round, length: length / time.Duration(rounds*len(schedulers))}
			if round > 0 {
				next.faults = faults
			}
			if err := r.slice(ctx, t, &next); err != nil {
				return t, errors.Join(err, r.Cluster.Failure())
			}
		}
	}
	return t, nil
}

const rounds = 2

// turn is the time during which one scheduler is under load.
type turn struct {
	scheduler Scheduler
	round     int
	length    time.Duration
	faults    []Fault
}

// slice gives a scheduler its turn, and adds the result to the table. After an error, the result covers the
// time before.
func (r *Runner) slice(ctx context.Context, t *Table, now *turn) error {
	running, err := r.start(&now.scheduler, now.round)
	defer stop(running)
	if err != nil {
		return err
	}
	if _, err := r.awaitLeader(ctx, running); err != nil {
		return err
	}

	// The cluster can be filled only when a scheduler leads. The judge discards what happened before the turn.
	if now.round == 0 && len(t.Slices) == 0 {
		if err := r.fill(ctx); err != nil {
			return err
		}
	}
	r.rest(ctx)
	if _, err := r.Judge.Report(); err != nil {
		return err
	}

	measured := newMeter(running)
	measured.read(ctx)
	slice := Slice{Scheduler: now.scheduler.Name, Faults: len(now.faults) > 0}
	begun := time.Now()
	done := r.accompany(ctx, measured, rand.New(rand.NewPCG(r.Seed, uint64(1+now.round))))
	err = r.bursts(ctx, now, running, func(b *Burst) {
		slice.add(b)
		t.Bursts = append(t.Bursts, b)
	})
	done()
	slice.Time = time.Since(begun)

	if err == nil {
		r.rest(ctx)
		measured.read(ctx)
	}
	slice.usage = measured.usage
	t.Slices = append(t.Slices, slice)
	return errors.Join(err, ctx.Err())
}

// bursts sends bursts until the turn is over and all its faults have struck. It calls add with each result.
func (r *Runner) bursts(ctx context.Context, now *turn, running []*controlplane.Replica, add func(*Burst)) error {
	begun, name := time.Now(), now.scheduler.Name
	for n := 0; ctx.Err() == nil && (time.Since(begun) < now.length || n < len(now.faults)); n++ {
		b := &Burst{Scheduler: name, label: fmt.Sprintf("burst-%d-%s-%d", now.round, name, n)}
		var fault Fault
		if n < len(now.faults) {
			fault = now.faults[n]
		}
		b.Fault = fault.Name
		if err := r.sendBurst(ctx, b, burstPods(r.Seed, now.round*1000+n), fault, running); err != nil {
			return err
		}
		r.Say("%s", b)
		add(b)
	}
	return nil
}

func (r *Runner) start(s *Scheduler, round int) (running []*controlplane.Replica, err error) {
	for i := range replicas {
		one, err := r.Cluster.StartReplica(fmt.Sprintf("%s-%d-%d", s.Name, round, i), s.Scheduler)
		if err != nil {
			return running, err
		}
		running = append(running, one)
	}
	return running, nil
}

func stop(running []*controlplane.Replica) {
	var all sync.WaitGroup
	for _, one := range running {
		all.Go(one.Stop)
	}
	all.Wait()
}

const (
	// fillWithin is the time limit for filling the cluster.
	fillWithin = 5 * time.Minute
	// restWithin is the time limit for the cluster to come to rest.
	restWithin = time.Minute
)

// patience is the longest time to wait for a burst or a leader.
const patience = 3 * time.Minute

func (r *Runner) awaitLeader(ctx context.Context, running []*controlplane.Replica) (*controlplane.Replica, error) {
	var leads *controlplane.Replica
	if !until(ctx, patience, func() bool { leads = leader(ctx, running); return leads != nil }) {
		return nil, errors.New("none of the schedulers has come to lead")
	}
	return leads, nil
}

// until waits until what returns true, and reports whether it did in time.
func until(ctx context.Context, most time.Duration, what func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for !what() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(100 * time.Millisecond):
		}
	}
	return true
}

// fill fills the cluster with unimportant workloads.
func (r *Runner) fill(ctx context.Context) error {
	all := fill.Base()
	for _, n := range nodes() {
		all = append(all, n)
	}
	for _, o := range append(all, objects(r.workloads)...) {
		if err := fill.Create(ctx, r.Client, o); err != nil {
			return err
		}
	}
	want := map[string]int{}
	for _, w := range r.workloads {
		want[w.Namespace+"/"+w.Name] = int(w.Replicas)
	}
	filled, cancel := context.WithTimeout(ctx, fillWithin)
	defer cancel()
	if err := r.Pods.Count(filled, want); err != nil {
		return err
	}
	r.rest(ctx)
	r.Say("the cluster has %d nodes and %d pods", nodeCount, len(r.Pods.All()))
	return nil
}

// rest waits until no pod changes any more, except for pods that have no place. After some time it gives up.
func (r *Runner) rest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, restWithin)
	defer cancel()
	if err := r.Pods.Wait(ctx, observe.Stillness{For: 2 * time.Second}); err != nil {
		r.Say("%v", err)
	}
}

// accompany measures the schedulers, scales workloads and deletes pods until the returned function is called.
func (r *Runner) accompany(ctx context.Context, m *meter, random *rand.Rand) (done func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	every := func(pause time.Duration, do func()) {
		all.Go(func() {
			for ctx.Err() == nil {
				do()
				select {
				case <-ctx.Done():
				case <-time.After(pause):
				}
			}
		})
	}
	every(5*time.Second, func() { m.read(ctx) })
	every(5*time.Second, func() { r.churn(ctx, random) })
	return func() { cancel(); all.Wait() }
}

// churn makes small changes to the cluster. It ignores errors, because the API server may be down.
func (r *Runner) churn(ctx context.Context, random *rand.Rand) {
	r.quiet.RLock()
	defer r.quiet.RUnlock()
	for range 3 {
		w := &r.workloads[random.IntN(len(r.workloads))]
		patch := fmt.Sprintf(`{"spec":{"replicas":%d}}`, max(1, w.Replicas*int32(85+random.IntN(31))/100))
		_, _ = r.Client.AppsV1().Deployments(w.Namespace).Patch(ctx, w.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "scale")
	}
	running := r.running()
	for range min(6, len(running)) {
		p := running[random.IntN(len(running))]
		_ = r.Client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{})
	}
}

// running returns the running pods of the workloads.
func (r *Runner) running() (out []*corev1.Pod) {
	for _, p := range r.Pods.All() {
		if p.Spec.NodeName != "" && p.Status.StartTime != nil && p.DeletionTimestamp == nil && p.Namespace != Namespace {
			out = append(out, p)
		}
	}
	return out
}
