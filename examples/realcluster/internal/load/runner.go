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
	quiet     sync.RWMutex // held while nothing may change but by the scheduler
}

// replicas is the number of schedulers of a kind that run at a time.
const replicas = 2

// Run puts each scheduler under load twice, for a quarter of the time each if there are
// two. Where there are faults, they come in the second round, one after the other.
func (r *Runner) Run(ctx context.Context, schedulers []Scheduler, length time.Duration, faults []Fault) (*Table, error) {
	t := &Table{}
	r.workloads = workloads(rand.New(rand.NewPCG(r.Seed, 0)))
	slice := length / time.Duration(rounds*len(schedulers))
	for round := range rounds {
		for _, s := range schedulers {
			strikes := faults
			if round == 0 {
				strikes = nil
			}
			if err := r.slice(ctx, t, &s, round, slice, strikes); err != nil {
				return t, errors.Join(err, r.Cluster.Failure())
			}
		}
	}
	return t, nil
}

const rounds = 2

// slice is one scheduler's turn.
func (r *Runner) slice(ctx context.Context, t *Table, s *Scheduler, round int, length time.Duration, faults []Fault) error {
	running, err := r.start(s, round)
	defer stop(running)
	if err != nil {
		return err
	}
	if _, err := r.awaitLeader(ctx, running); err != nil {
		return err
	}
	if round == 0 && len(t.Slices) == 0 {
		if err := r.fill(ctx); err != nil {
			return err
		}
	}
	r.rest(ctx)
	if _, err := r.Judge.Report(); err != nil { // what was before
		return err
	}
	measured := newMeter(running)
	measured.read(ctx)
	slice := Slice{Scheduler: s.Name, Faults: len(faults) > 0}
	begun := time.Now()
	done := r.accompany(ctx, measured, rand.New(rand.NewPCG(r.Seed, uint64(1+round))))
	for n := 0; ctx.Err() == nil && (time.Since(begun) < length || n < len(faults)); n++ {
		b := &Burst{Scheduler: s.Name, label: fmt.Sprintf("burst-%d-%s-%d", round, s.Name, n)}
		var fault Fault
		if n < len(faults) {
			fault = faults[n]
		}
		b.Fault = fault.Name
		if err = r.sendBurst(ctx, b, burstPods(r.Seed, round*1000+n), fault, running); err != nil {
			break
		}
		r.Say("%s", b)
		slice.add(b)
		t.Bursts = append(t.Bursts, b)
	}
	done()
	slice.Time = time.Since(begun)
	if err == nil {
		r.rest(ctx)
		measured.read(ctx)
	}
	slice.usage = measured.usage
	t.Slices = append(t.Slices, slice) // as far as it came
	return errors.Join(err, ctx.Err())
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

// The most time until the cluster is full and comes to rest.
const (
	fillWithin = 5 * time.Minute
	restWithin = time.Minute
)

// patience is the most time that bursts and leaders are waited for.
const patience = 3 * time.Minute

func (r *Runner) awaitLeader(ctx context.Context, running []*controlplane.Replica) (*controlplane.Replica, error) {
	var leads *controlplane.Replica
	if !until(ctx, patience, func() bool { leads = leader(ctx, running); return leads != nil }) {
		return nil, errors.New("none of the schedulers has come to lead")
	}
	return leads, nil
}

// until waits for a condition, and reports whether it came true.
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

// fill fills the cluster with workloads of little importance.
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

// rest waits until no pod is on the move but those that have no place, or long enough.
func (r *Runner) rest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, restWithin)
	defer cancel()
	if err := r.Pods.Wait(ctx, observe.Stillness{For: 2 * time.Second}); err != nil {
		r.Say("%v", err)
	}
}

// accompany measures, and scales workloads and deletes pods, until the function
// that it returns is called.
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

// churn changes the cluster a little. Failures without an API server are left out.
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

// running are the workloads' pods that run.
func (r *Runner) running() (out []*corev1.Pod) {
	for _, p := range r.Pods.All() {
		if p.Spec.NodeName != "" && p.Status.StartTime != nil && p.DeletionTimestamp == nil && p.Namespace != Namespace {
			out = append(out, p)
		}
	}
	return out
}
