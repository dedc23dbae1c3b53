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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/outrank-go/outrank/examples/realcluster/internal/audit"
	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
)

// Bursts creates bursts of important pods while the release changes.
type Bursts struct {
	Client kubernetes.Interface
	Pods   *Pods
	// All returns the pods of the cluster.
	All   func() []*corev1.Pod
	Judge *audit.Judge
	Seed  uint64
}

// Burst is the result of one burst.
type Burst struct {
	Account
	audit.Report
	// UnderWay is the number of pods that were waiting for their victims when the leader was told to end.
	UnderWay int
	// From is the pod that led before the change, and To the pod that leads after it.
	From, To string
	// Seconds is the time until all pods had a node, or until the burst was given up.
	Seconds float64
}

// The size of a burst, the time between two pods and the time limit.
const (
	burstSize = 50
	burstPace = 400 * time.Millisecond
	burstIn   = 4 * time.Minute
)

// Run sends the pods, changes the release as soon as preemptions are under way, and waits until
// every pod has a node and another pod leads.
func (b *Bursts) Run(ctx context.Context, name string, change func(context.Context) error) (*Burst, error) {
	if _, err := b.Judge.Report(); err != nil { // discards what was logged before
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

// send creates the pods, and begins the change once a tenth of them has been created.
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

// judge completes the result with the judge's report and the fates of the pods. It waits a little for late
// events.
func (b *Bursts) judge(ctx context.Context, created []*corev1.Pod, out *Burst) (err error) {
	if out.Report, err = b.Judge.Report(); err != nil {
		return err
	}
	for range 20 {
		events, err := b.Client.CoreV1().Events("").List(ctx, metav1.ListOptions{FieldSelector: "reason=Preempted"})
		if err != nil {
			return err
		}
		out.Account = fates(created, b.All(), events.Items)
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

// ownNodes is the label and the taint of the nodes that only pods of the release's scheduler use.
const ownNodes = "scheduler"

// TakeNodes taints nodes, so that pods of the cluster's own scheduler do not return to them after pods of the
// release have pushed them out. Two schedulers do not know each other's nominations: on full nodes that both
// use, one takes the room that the other has made.
func TakeNodes(ctx context.Context, client kubernetes.Interface, names ...string) error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}},"spec":{"taints":[{"key":%q,"value":%q,"effect":"NoSchedule"}]}}`, ownNodes, Release, ownNodes, Release)
	for _, name := range names {
		if _, err := client.CoreV1().Nodes().Patch(ctx, name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("node %s: %w", name, err)
		}
	}
	return nil
}

// burstPod draws a pod that is more important than most pods that fill the cluster.
func burstPod(r *rand.Rand, name string) *corev1.Pod {
	cpu, memory := resource.NewMilliQuantity(int64(300+100*r.IntN(10)), resource.DecimalSI), resource.NewQuantity(int64(256+128*r.IntN(8))<<20, resource.BinarySI)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: fill.TrialNamespace, Name: name, Labels: map[string]string{"app": "burst"}},
		Spec: corev1.PodSpec{
			PriorityClassName: fill.High, SchedulerName: Release, NodeSelector: map[string]string{ownNodes: Release},
			Tolerations: []corev1.Toleration{{Key: ownNodes, Value: Release, Effect: corev1.TaintEffectNoSchedule}},
			Containers: []corev1.Container{{
				Name: "main", Image: fill.Image,
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: *cpu, corev1.ResourceMemory: *memory}},
			}},
		},
	}
}
