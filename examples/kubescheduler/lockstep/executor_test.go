package lockstep

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	reference "k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// preempting is one plan to be carried out by both.
type preempting struct {
	preemptor *corev1.Pod
	victims   []*corev1.Pod
	nominated []*corev1.Pod
	ways      map[string][]string
	waiting   map[types.UID]string
}

func member(name string, priority int32) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name)},
		Spec:       corev1.PodSpec{Priority: &priority, SchedulerName: "special"},
	}
}

func drawPreempting(t *rapid.T) *preempting {
	p := &preempting{preemptor: member("preemptor", 10), ways: map[string][]string{}, waiting: map[types.UID]string{}}
	goes := func(what string, most int, hows ...string) {
		for range below(t, most, what) {
			p.ways[what] = append(p.ways[what], pick(t, what, hows...))
		}
	}
	for i := range below(t, 5, "victims") + 1 {
		v := member(fmt.Sprint("v", i), 1)
		v.Spec.NodeName = "n1"
		if one(t, 5, "deleted already") {
			v.DeletionTimestamp = &metav1.Time{Time: began}
		}
		p.waiting[v.UID] = pick(t, "waits", "", "", "", "", "waits", "waits no more", "binds", "is bound")
		if one(t, 4, "trouble") {
			goes("condition "+v.Name, 7, works, conflict, internal, unavailable, conflict, internal, notFound, forbidden)
			goes("delete "+v.Name, 2, works, works, conflict, notFound, forbidden)
		}
		p.victims = append(p.victims, v)
	}
	for i := range below(t, 4, "nominated") {
		n := member(fmt.Sprint("n", i), int32(8+below(t, 4, "priority")))
		n.Status.NominatedNodeName = "n1"
		p.nominated = append(p.nominated, n)
		if one(t, 4, "trouble") {
			goes("clear "+n.Name, 7, works, conflict, internal, unavailable, conflict, notFound, forbidden)
		}
	}
	// The reference takes them as they came, the library by importance.
	slices.SortStableFunc(p.nominated, func(a, b *corev1.Pod) int { return cmp.Compare(*b.Spec.Priority, *a.Spec.Priority) })
	return p
}

func (p *preempting) calls() *calls {
	c := &calls{ways: map[string][]string{}}
	for what, hows := range p.ways {
		c.ways[what] = slices.Clone(hows)
	}
	return c
}

// done is the result.
type done struct {
	Calls  []string
	Failed bool
	// After reports whether the preemptor is still kept out in the end.
	After bool
}

// byReference carries the plan out with the reference's executor. Its goroutines have
// ended and its waits are over when the bubble ends.
func (p *preempting) byReference(t *testing.T, client clientset.Interface, now **calls, async bool) done {
	var d done
	c := p.calls()
	*now = c
	store := informerFactory.Core().V1().Pods().Informer().GetStore()
	for _, v := range p.victims {
		if err := store.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		for _, v := range p.victims {
			_ = store.Delete(v)
		}
	}()
	c.gone = func(name string) { _ = store.Delete(member(name, 0)) }
	h := newHandle(c, client)
	h.nominated, h.waiting = p.nominated, p.waiting
	synctest.Test(t, func(*testing.T) {
		e := reference.NewExecutor(h, feature.Features{EnableAsyncPreemption: async})
		if async {
			c.preempting = func() bool { return e.IsPodRunningPreemption(p.preemptor.UID) }
		}
		status := actuatePod(e, context.Background(), &candidate{p.victims}, p.preemptor, "test")
		time.Sleep(time.Hour) // of the bubble, in which all of it ends
		d.Failed = !status.IsSuccess()
	})
	d.After = c.preempting != nil && c.preempting()
	d.Calls = c.made
	return d
}

func (p *preempting) byLibrary(t *rapid.T, async bool) (done, *execution.Report, error) {
	c := p.calls()
	e, report, err := p.executedBy(t, c, async)
	return done{Calls: c.made, Failed: err != nil && !async, After: e.Preempting(toPod(t, p.preemptor))}, report, err
}

func (p *preempting) executed(t *rapid.T, async bool) *execution.Report {
	_, report, _ := p.executedBy(t, p.calls(), async)
	return report
}

func (p *preempting) executedBy(t *rapid.T, c *calls, async bool) (*execution.Executor, *execution.Report, error) {
	config := execution.Config{Actions: (&ourActions{c, p.waiting}).actions(), Parallel: 1, Nominator: &execution.Nominator{Release: outrank.V1_37}}
	if !async {
		config.Order = execution.Synchronous
	}
	plan := &preemption.Plan{Release: outrank.V1_37, Outcome: preemption.Preempts, Pod: toPod(t, p.preemptor)}
	for _, n := range p.nominated {
		pod := toPod(t, n)
		config.Nominator.Add(pod, "n1")
		if pod.PriorityValue() < plan.Pod.PriorityValue() {
			plan.ClearedNominations = append(plan.ClearedNominations, pod)
		}
	}
	e, err := execution.NewExecutor(config)
	require.NoError(t, err)
	plan.Node = "n1"
	pods := map[string]*outrank.Pod{}
	for _, v := range p.victims {
		pod := toPod(t, v)
		pods[v.Name] = pod
		plan.Victims = append(plan.Victims, preemption.Victim{Pod: pod})
	}
	c.gone = func(name string) { e.Gone(pods[name]) }
	if async {
		c.preempting = func() bool { return e.Preempting(plan.Pod) }
	}
	report, err := e.Execute(context.Background(), plan)
	return e, report, err
}

func TestExecutor(t *testing.T) {
	var now *calls
	client := apiServer(&now)
	for _, async := range []bool{true, false} {
		t.Run(fmt.Sprint("asynchronous ", async), func(outer *testing.T) {
			did := map[string]int{}
			check(outer, 1000, func(t *rapid.T) {
				p := drawPreempting(t)
				ours, report, err := p.byLibrary(t, async)
				theirs := p.byReference(outer, client, &now, async)
				require.Equal(t, theirs, ours, "%v %v", report, err)
				did[string(report.Result)]++
				for _, v := range report.Victims {
					did[string(v.Result)]++
				}
				for _, c := range report.Cleared {
					did[fmt.Sprint("cleared ", c.Err == nil)]++
				}
			})
			outer.Log(slices.Sorted(maps.Keys(did)), did)
		})
	}
}
