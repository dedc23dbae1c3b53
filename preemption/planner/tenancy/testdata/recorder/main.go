// Command outrank-record asks Kueue's own preemption package about cases. It reads the cases from standard input, one a
// line, as the test of package tenancy draws them, and writes each together with Kueue's decision. It is built inside a
// checkout of Kueue; CONTRIBUTING.md says how.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"

	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	cache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler/flavorassigner"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	testutil "sigs.k8s.io/kueue/pkg/util/testing"
	"sigs.k8s.io/kueue/pkg/workload"
)

// amounts maps a resource with its flavor, such as cpu@spot, to a quantity.
type amounts map[string]string

// quotas is tenancy.Quota in the JSON of a case.
type quotas struct {
	Nominal, BorrowLimit, LendLimit amounts
	Weight                          *float64
}

// item is tenancy.Workload in the JSON of a case.
type item struct {
	Name, Queue      string
	Priority, Boost  int32
	Uses             amounts
	Queued, Admitted time.Time
	Leaving          bool
}

// oneCase is one line of the input: a configuration of a tree, and a request about it.
type oneCase struct {
	Config struct {
		Queues []struct {
			Name, Cohort string
			quotas
			Policy struct {
				Within, Reclaim kueue.PreemptionPolicy
				WhileBorrowing  bool
				BorrowUpTo      *int32
			}
		}
		Cohorts []struct {
			Name, Parent string
			quotas
		}
	}
	Request struct {
		Incoming item
		Admitted []item
		Fair     *struct {
			Strategies  []config.PreemptionStrategy
			SharesAlone bool
		}
		Now time.Time
	}
}

// answer is Kueue's decision. Gives has each different list of targets that Kueue returned for the question: if cohorts
// have equal shares, Kueue follows the order of a map.
type answer struct {
	Fits  bool       `json:",omitempty"`
	Gives [][]string `json:",omitempty"`
}

// asked is how often each question is put to Kueue, so that all of its answers are likely to appear.
const asked = 24

var (
	reasons = map[string]string{
		kueue.InClusterQueueReason: "within the queue", kueue.InCohortReclamationReason: "reclaimed within the cohort",
		kueue.InCohortReclaimWhileBorrowingReason: "reclaimed within the cohort while borrowing", kueue.InCohortFairSharingReason: "fair share within the cohort",
	}
)

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	ctx := ctrl.LoggerInto(context.Background(), logr.Discard())
	for n := 1; ; n++ {
		var raw json.RawMessage
		if err := in.Decode(&raw); err == io.EOF {
			return
		} else if err != nil {
			fail(n, err)
		}
		var c oneCase
		if err := json.Unmarshal(raw, &c); err != nil {
			fail(n, err)
		}
		a, err := decide(ctx, &c)
		if err != nil {
			fail(n, err)
		}
		if err := out.Encode(map[string]any{"Case": raw, "Kueue": a}); err != nil {
			fail(n, err)
		}
	}
}

// fail ends the program with an error about the n-th case.
func fail(n int, err error) {
	fmt.Fprintf(os.Stderr, "case %d: %v\n", n, err)
	os.Exit(1)
}

// split separates the resource and the flavor of a name such as cpu@spot.
func split(name string) (corev1.ResourceName, kueue.ResourceFlavorReference) {
	r, f, _ := strings.Cut(name, "@")
	return corev1.ResourceName(r), kueue.ResourceFlavorReference(f)
}

// quantity parses a quantity, and panics if it is not valid.
func quantity(s string) *resource.Quantity {
	q := resource.MustParse(s)
	return &q
}

// groups returns one resource group with all quotas, in which every resource has every flavor.
func (q *quotas) groups() []kueue.ResourceGroup {
	names, flavors := map[string]bool{}, map[string]bool{}
	for name := range q.Nominal {
		r, f := split(name)
		names[string(r)], flavors[string(f)] = true, true
	}
	if len(names) == 0 {
		return nil
	}
	var g kueue.ResourceGroup
	for _, r := range sorted(names) {
		g.CoveredResources = append(g.CoveredResources, corev1.ResourceName(r))
	}
	for _, f := range sorted(flavors) {
		fq := kueue.FlavorQuotas{Name: kueue.ResourceFlavorReference(f)}
		for _, r := range g.CoveredResources {
			name := string(r) + "@" + f
			own, ok := q.Nominal[name]
			if !ok {
				own = "0"
			}
			rq := kueue.ResourceQuota{Name: r, NominalQuota: *quantity(own)}
			if l, ok := q.BorrowLimit[name]; ok {
				rq.BorrowingLimit = quantity(l)
			}
			if l, ok := q.LendLimit[name]; ok {
				rq.LendingLimit = quantity(l)
			}
			fq.Resources = append(fq.Resources, rq)
		}
		g.Flavors = append(g.Flavors, fq)
	}
	return []kueue.ResourceGroup{g}
}

// sharing returns the weight as Kueue's API has it, or nil if there is none.
func (q *quotas) sharing() *kueue.FairSharing {
	if q.Weight == nil {
		return nil
	}
	return &kueue.FairSharing{Weight: quantity(strconv.FormatFloat(*q.Weight, 'f', -1, 64))}
}

// sorted returns the elements of a set in ascending order.
func sorted(set map[string]bool) (out []string) {
	for s := range set {
		out = append(out, s)
	}
	sort.Strings(out)
	return out
}

// workload converts an item to a Kueue workload, with one pod set for each flavor. A pod set has two pods if all its
// amounts are even, and one pod otherwise.
func (x *item) workload(now time.Time) (*kueue.Workload, []kueue.PodSetAssignment) {
	w := &kueue.Workload{}
	w.Name, w.Namespace, w.UID = x.Name, "default", types.UID(x.Name)
	w.CreationTimestamp = metav1.NewTime(x.Queued)
	w.Spec.Priority = &x.Priority
	if x.Boost != 0 {
		w.Annotations = map[string]string{"kueue.x-k8s.io/priority-boost": strconv.Itoa(int(x.Boost))}
	}
	flavors := map[string]bool{}
	for name := range x.Uses {
		_, f := split(name)
		flavors[string(f)] = true
	}
	var assigned []kueue.PodSetAssignment
	for _, f := range sorted(flavors) {
		count := int32(2)
		for name, s := range x.Uses {
			if _, flavor := split(name); string(flavor) == f && quantity(s).Value()%2 != 0 {
				count = 1
			}
		}
		set := kueue.PodSet{Name: kueue.PodSetReference("set-" + f), Count: count}
		requests, total := corev1.ResourceList{}, corev1.ResourceList{}
		a := kueue.PodSetAssignment{Name: set.Name, Count: &count, Flavors: map[corev1.ResourceName]kueue.ResourceFlavorReference{}}
		for name, s := range x.Uses {
			r, flavor := split(name)
			if string(flavor) != f {
				continue
			}
			requests[r] = *resource.NewQuantity(quantity(s).Value()/int64(count), resource.DecimalSI)
			total[r] = *quantity(s)
			a.Flavors[r] = flavor
		}
		a.ResourceUsage = total
		set.Template.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: requests}}}
		w.Spec.PodSets, assigned = append(w.Spec.PodSets, set), append(assigned, a)
	}
	return w, assigned
}

// admitted converts an item to a workload that is admitted to its queue, and evicted as well if it is leaving.
func (x *item) admitted(now time.Time) *kueue.Workload {
	w, assigned := x.workload(now)
	w.Status.Admission = &kueue.Admission{ClusterQueue: kueue.ClusterQueueReference(x.Queue), PodSetAssignments: assigned}
	condition := func(kind string, at time.Time) {
		w.Status.Conditions = append(w.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(at), Reason: kind})
	}
	condition(kueue.WorkloadQuotaReserved, x.Admitted)
	condition(kueue.WorkloadAdmitted, x.Admitted)
	if x.Leaving {
		condition(kueue.WorkloadEvicted, now)
	}
	return w
}

// snapshot fills Kueue's cache with the queues, cohorts and admitted workloads of a case, and returns its snapshot.
func snapshot(ctx context.Context, c *oneCase) (*cache.Snapshot, error) {
	list := &kueue.WorkloadList{}
	for i := range c.Request.Admitted {
		list.Items = append(list.Items, *c.Request.Admitted[i].admitted(c.Request.Now))
	}
	all := cache.New(testutil.NewClientBuilder().WithLists(list).Build())
	flavors := map[string]bool{}
	for i := range c.Config.Cohorts {
		x := &c.Config.Cohorts[i]
		k := &kueue.Cohort{}
		k.Name, k.Spec.ParentName, k.Spec.ResourceGroups, k.Spec.FairSharing = x.Name, kueue.CohortReference(x.Parent), x.groups(), x.sharing()
		for name := range x.Nominal {
			_, f := split(name)
			flavors[string(f)] = true
		}
		if err := all.AddOrUpdateCohort(k); err != nil {
			return nil, err
		}
	}
	for i := range c.Config.Queues {
		x := &c.Config.Queues[i]
		k := &kueue.ClusterQueue{}
		k.Name, k.Spec.CohortName, k.Spec.ResourceGroups, k.Spec.FairSharing = x.Name, kueue.CohortReference(x.Cohort), x.groups(), x.sharing()
		k.Spec.NamespaceSelector = &metav1.LabelSelector{}
		k.Spec.Preemption = &kueue.ClusterQueuePreemption{WithinClusterQueue: cmp.Or(x.Policy.Within, kueue.PreemptionPolicyNever), ReclaimWithinCohort: cmp.Or(x.Policy.Reclaim, kueue.PreemptionPolicyNever)}
		if x.Policy.WhileBorrowing {
			k.Spec.Preemption.BorrowWithinCohort = &kueue.BorrowWithinCohort{Policy: kueue.BorrowWithinCohortPolicyLowerPriority, MaxPriorityThreshold: x.Policy.BorrowUpTo}
		}
		for name := range x.Nominal {
			_, f := split(name)
			flavors[string(f)] = true
		}
		if err := all.AddClusterQueue(ctx, k); err != nil {
			return nil, err
		}
	}
	for _, f := range sorted(flavors) {
		flavor := &kueue.ResourceFlavor{}
		flavor.Name = f
		all.AddOrUpdateResourceFlavor(logr.Discard(), flavor)
	}
	return all.Snapshot(ctx)
}

// decide asks Kueue for the targets of a case, as its scheduler does once flavors are assigned.
func decide(ctx context.Context, c *oneCase) (a answer, err error) {
	within := c.Request.Fair == nil || !c.Request.Fair.SharesAlone
	if err := utilfeature.DefaultMutableFeatureGate.Set(fmt.Sprintf("PriorityBoost=true,FairSharingPreemptWithinNominal=%t", within)); err != nil {
		return a, err
	}
	snap, err := snapshot(ctx, c)
	if err != nil {
		return a, err
	}

	var fair *config.FairSharing
	if c.Request.Fair != nil {
		fair = &config.FairSharing{PreemptionStrategies: c.Request.Fair.Strategies}
	}

	// A resource of which the flavor has too little left needs preemption. If there is none, the workload fits.
	w, assigned := c.Request.Incoming.workload(c.Request.Now)
	queue := snap.ClusterQueue(kueue.ClusterQueueReference(c.Request.Incoming.Queue))
	assignment := flavorassigner.Assignment{}
	a.Fits = true
	for _, x := range assigned {
		set := flavorassigner.PodSetAssignment{Name: x.Name, Count: *x.Count, Flavors: flavorassigner.ResourceAssignment{}}
		for r, f := range x.Flavors {
			fa := &flavorassigner.FlavorAssignment{Name: f, Mode: flavorassigner.Fit}
			q := x.ResourceUsage[r]
			if wants := amountOf(r, q); wants.Cmp(queue.Available(resources.FlavorResource{Flavor: f, Resource: r})) > 0 {
				fa.Mode, a.Fits = flavorassigner.Preempt, false
			}
			set.Flavors[r] = fa
		}
		assignment.PodSets = append(assignment.PodSets, set)
	}
	if a.Fits {
		return a, nil
	}

	// Kueue iterates over maps, so its targets may differ from call to call. Each different answer is recorded.
	info := workload.NewInfo(w)
	info.ClusterQueue = kueue.ClusterQueueReference(c.Request.Incoming.Queue)
	p := preemption.New(nil, workload.Ordering{}, nil, fair, false, testclock.NewFakeClock(c.Request.Now), nil, expectations.New(), nil)
	seen := map[string]bool{}
	for range asked {
		gives := []string{}
		for _, t := range p.GetTargets(ctx, *info, assignment, snap) {
			gives = append(gives, t.WorkloadInfo.Obj.Name+" by "+reasons[t.Reason])
		}
		if key := strings.Join(gives, ","); !seen[key] {
			seen[key] = true
			a.Gives = append(a.Gives, gives)
		}
	}

	sort.Slice(a.Gives, func(i, j int) bool { return strings.Join(a.Gives[i], ",") < strings.Join(a.Gives[j], ",") })
	return a, nil
}

// amountOf converts a quantity of a resource to Kueue's amount.
func amountOf(r corev1.ResourceName, q resource.Quantity) resources.Amount {
	return resources.NewAmount(resources.ResourceValue(r, q))
}
