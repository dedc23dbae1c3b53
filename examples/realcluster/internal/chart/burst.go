package chart

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/outrank-go/outrank/examples/realcluster/internal/audit"
	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
)

// Bursts sends important pods while the release changes.
type Bursts struct {
	Client kubernetes.Interface
	Pods   *Pods
	// All returns the pods of the cluster.
	All   func() []*corev1.Pod
	Judge *audit.Judge
	Seed  uint64
}

// Burst is the result of a burst.
type Burst struct {
	Account
	audit.Report
	// UnderWay is the number of pods that waited for their victims when the leader was told to end.
	UnderWay int
	// From and To are the leaders before and afterwards.
	From, To string
	// Seconds is the time until all pods had a node, or until nobody waited any longer.
	Seconds float64
}

// The size of a burst, its pace and the most time that it takes.
const (
	burstSize = 100
	burstPace = 150 * time.Millisecond
	burstIn   = 4 * time.Minute
)

// Run sends the pods, changes the release as soon as preemptions are under way, and waits until
// every pod has a node and another pod leads.
func (b *Bursts) Run(ctx context.Context, name string, change func(context.Context) error) (*Burst, error) {
	if _, err := b.Judge.Report(); err != nil { // of what was before
		return nil, err
	}
	out, begun := &Burst{}, time.Now()
	var err error
	if out.From, err = b.Pods.AwaitLeader(ctx, ""); err != nil {
		return nil, err
	}
	var underWay atomic.Int64
	b.Pods.SetEnding(func(pod string) {
		if pod == out.From {
			underWay.Store(int64(b.count(name, nominated)))
		}
	})
	created, changed, err := b.send(ctx, name, change)
	if err != nil {
		return nil, err
	}
	for ctx.Err() == nil && time.Since(begun) < burstIn && b.count(name, unbound) > 0 {
		time.Sleep(200 * time.Millisecond)
	}
	out.Seconds = time.Since(begun).Seconds()
	if err := errors.Join(<-changed, ctx.Err()); err != nil {
		return nil, err
	}
	if out.To, err = b.Pods.AwaitLeader(ctx, out.From); err != nil {
		return nil, err
	}
	out.UnderWay = int(underWay.Load())
	return out, b.judge(ctx, created, out)
}

// send creates the pods, and begins the change after the first of them.
func (b *Bursts) send(ctx context.Context, name string, change func(context.Context) error) (created []*corev1.Pod, changed chan error, _ error) {
	random := rand.New(rand.NewPCG(b.Seed, 1))
	changed = make(chan error, 1)
	for i := range burstSize {
		p, err := b.Client.CoreV1().Pods(fill.TrialNamespace).Create(ctx, burstPod(random, fmt.Sprintf("%s-%03d", name, i)), metav1.CreateOptions{})
		if err != nil {
			return nil, nil, err
		}
		created = append(created, p)
		if i == burstSize/10 {
			go func() { changed <- change(ctx) }()
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(burstPace):
		}
	}
	return created, changed, nil
}

// judge fills in the account. Events may come a little later.
func (b *Bursts) judge(ctx context.Context, created []*corev1.Pod, out *Burst) (err error) {
	if out.Report, err = b.Judge.Report(); err != nil {
		return err
	}
	for range 20 {
		events, err := b.Client.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "reason=Preempted"})
		if err != nil {
			return err
		}
		out.Account = account(created, b.All(), events.Items)
		if out.Account.Victims >= out.Report.Victims {
			break
		}
		time.Sleep(250 * time.Millisecond)
	}
	for _, twice := range out.Twice {
		out.Lost = append(out.Lost, twice+" was told to go twice")
	}
	return nil
}

func unbound(p *corev1.Pod) bool { return p.Spec.NodeName == "" }

func nominated(p *corev1.Pod) bool { return p.Spec.NodeName == "" && p.Status.NominatedNodeName != "" }

func (b *Bursts) count(name string, is func(*corev1.Pod) bool) (n int) {
	for _, p := range b.All() {
		if p.Namespace == fill.TrialNamespace && strings.HasPrefix(p.Name, name+"-") && is(p) {
			n++
		}
	}
	return n
}

// burstPod is more important than most of what fills the cluster.
func burstPod(r *rand.Rand, name string) *corev1.Pod {
	cpu, memory := resource.NewMilliQuantity(int64(300+100*r.IntN(10)), resource.DecimalSI), resource.NewQuantity(int64(256+128*r.IntN(8))<<20, resource.BinarySI)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: fill.TrialNamespace, Name: name, Labels: map[string]string{"app": "burst"}},
		Spec: corev1.PodSpec{
			PriorityClassName: fill.High, SchedulerName: Release,
			Containers: []corev1.Container{{
				Name: "main", Image: fill.Image,
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: *cpu, corev1.ResourceMemory: *memory}},
			}},
		},
	}
}
