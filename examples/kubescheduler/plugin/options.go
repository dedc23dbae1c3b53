package plugin

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/metrics"
	"github.com/outrank-go/outrank/preemption"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Options are the program's settings of the plugin. The zero value is that of a
// scheduler by itself.
type Options struct {
	// Release has the rules that hold; zero means those of Reference with the feature
	// gates of this process.
	Release outrank.Release
	// Configuration is the scheduler's file, from which the arguments of filters are taken
	// that a plugin's handle does not have (package schedulerconfig). Without it filters
	// have their default arguments; those that are switched off are known all the same.
	Configuration *schedulerconfig.Configuration
	// Synchronous is set to carry a plan out before the attempt ends; nil means
	// the setting of the feature gate SchedulerAsyncPreemption.
	Synchronous *bool
	// Metrics counts; nil counts for nobody.
	Metrics *metrics.Collector
	// Observe, if set, receives each decision before it is carried out. It must
	// not change it. Those for the sake of objects that are not understood are not passed on.
	Observe func(Decision)
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// IsEligiblePod and MoreImportantVictim are the hooks of DefaultPreemption, by whose rules it
	// asks them. With one of them it finds the victims for every pod; they have no part in
	// decisions about a group, as there.
	IsEligiblePod       defaultpreemption.IsEligiblePodFunc
	MoreImportantVictim MoreImportantFunc
}

func (o *Options) hooked() bool { return o.IsEligiblePod != nil || o.MoreImportantVictim != nil }

// Decision is the decision about a pod or a group.
type Decision struct {
	// One of Plan and Group is set, or Err.
	Plan  *preemption.Plan
	Group *preemption.GroupPlan
	Err   error
	// Nomination goes with the plan's nomination where the pod claims devices and the
	// arguments have DRAPreemption; else nil.
	Nomination *Nomination
	// HandedOver is why DefaultPreemption's code found the victims, empty for this module's. Then
	// Plan has no reasons about single victims, and Group every victim as a unit of its own, with
	// all violations at the first.
	HandedOver HandOver
	// nomination and text go with a plan that was handed over.
	nomination execution.Nomination
	text       string
	// inMemory is the node of a nomination with devices that the API does not have yet.
	inMemory string
	// Followed is the time to bring the snapshot up to date, Decided that to find
	// the answer.
	Followed, Decided time.Duration
}

// release is the release with the feature gates of the process, beside those of them that
// the scheduler alone follows.
func (o *Options) release() (of outrank.Release, unfollowed []string, err error) {
	if o.Release != 0 {
		if _, has := o.Release.Gates()[asyncPreemption]; !has {
			return o.Release, nil, nil
		}
		of, err = o.Release.With(map[string]bool{asyncPreemption: o.asynchronous()})
		return of, nil, err
	}
	gates := map[string]bool{asyncPreemption: o.asynchronous()}
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for name, usual := range Reference.Gates() {
		if _, ok := known[featuregate.Feature(name)]; !ok || elsewhere[name] {
			continue
		}
		switch on := utilfeature.DefaultFeatureGate.Enabled(featuregate.Feature(name)); {
		case on == usual:
		case handedOver[name]:
			unfollowed = append(unfollowed, name)
		default:
			gates[name] = on
		}
	}
	slices.Sort(unfollowed)
	if of, err = Reference.With(gates); err != nil {
		return 0, nil, fmt.Errorf("the scheduler's feature gates: %w", err)
	}
	return of, unfollowed, nil
}

// handedOver are gates with which DefaultPreemption finds all victims: what they change are amounts
// that only the scheduler knows.
var handedOver = map[string]bool{"DRANodeAllocatableResources": true}

// asyncPreemption is the gate that the option Synchronous stands for. Which nominations a plan clears
// depends on it.
const asyncPreemption = "SchedulerAsyncPreemption"

// elsewhere are gates that make no difference to what is decided here: about the scheduling
// queue, the kubelet, how calls are made, and how fast something is found.
var elsewhere = map[string]bool{
	asyncPreemption: true, "SchedulerAsyncAPICalls": true, "SchedulerPopFromBackoffQ": true, "SchedulerPreQueueingHints": true,
	"OpportunisticBatching": true, "NominatedNodeNameForExpectation": true, "InterPodAffinityHostnameFastPath": true, "HugepageAwareEviction": true,
	"PodLevelResourcesFixKubeletQOSClass": true,
}

func (o *Options) asynchronous() bool {
	if o.Synchronous != nil {
		return !*o.Synchronous
	}
	return utilfeature.DefaultFeatureGate.Enabled(features.SchedulerAsyncPreemption)
}

func (o *Options) order() execution.Order {
	if o.asynchronous() {
		return execution.Asynchronous
	}
	return execution.Synchronous
}

// Args are the plugin's arguments in a KubeSchedulerConfiguration.
type Args struct {
	metav1.TypeMeta `json:",inline"`
	// MinCandidateNodesPercentage and MinCandidateNodesAbsolute are those of
	// DefaultPreemptionArgs: the number of candidates that is enough. With either
	// of them the search is the sample of kube-scheduler, and the other is 10 or
	// 100 if it is not given. Without both every node is looked at.
	MinCandidateNodesPercentage *int32 `json:"minCandidateNodesPercentage,omitempty"`
	MinCandidateNodesAbsolute   *int32 `json:"minCandidateNodesAbsolute,omitempty"`
	// Seed determines at which node a sample begins, with the preemptor's name; 0 means the
	// first node.
	Seed uint64 `json:"seed,omitempty"`
	// Workers is the number of goroutines that share a decision; 0 means one.
	Workers int `json:"workers,omitempty"`
	// WhenNotUnderstood is the way to decide while an object in the cluster is
	// not understood: Isolate, which an empty one means, or DefaultPreemption.
	WhenNotUnderstood string `json:"whenNotUnderstood,omitempty"`
	// PlanEvents posts every plan as an event on the preemptor, PreemptionPlanned. That
	// is one write more for each preemption than DefaultPreemption makes.
	PlanEvents bool `json:"planEvents,omitempty"`
	// DRAPreemption preempts for devices that pods claim, as KEP-5690 proposes; no release of
	// kube-scheduler does. The plugin then has to be enabled in preFilter as well, which puts it
	// before DynamicResources, and all profiles of a scheduler have to agree.
	DRAPreemption bool `json:"draPreemption,omitempty"`
}

// decode reads arguments as the scheduler reads those of its own plugins: an
// unknown field, one that stands there twice and one in other case are errors.
func decode(raw apiruntime.Object, args *Args) error {
	if raw == nil {
		return nil
	}
	unknown, ok := raw.(*apiruntime.Unknown)
	if !ok {
		return fmt.Errorf("want args of type runtime.Unknown, got %T", raw)
	}
	text := unknown.Raw
	if unknown.ContentType == apiruntime.ContentTypeYAML {
		var err error
		if text, err = yaml.YAMLToJSONStrict(text); err != nil {
			return err
		}
	}
	if len(text) == 0 {
		return nil
	}
	strict, err := json.UnmarshalStrict(text, args)
	return errors.Join(append(strict, err)...)
}

// mostWorkers is the most goroutines that share a decision.
const mostWorkers = 1024

func readArgs(raw apiruntime.Object) (Args, error) {
	var args Args
	if err := decode(raw, &args); err != nil {
		return Args{}, fmt.Errorf("args: %w", err)
	}
	percent, absolute := args.MinCandidateNodesPercentage, args.MinCandidateNodesAbsolute
	switch {
	case percent != nil && (*percent < 0 || *percent > 100):
		return Args{}, fmt.Errorf("args: minCandidateNodesPercentage: %d is not between 0 and 100", *percent)
	case absolute != nil && *absolute < 0:
		return Args{}, fmt.Errorf("args: minCandidateNodesAbsolute: %d is negative", *absolute)
	case percent != nil && *percent == 0 && absolute != nil && *absolute == 0:
		return Args{}, fmt.Errorf("args: minCandidateNodesPercentage and minCandidateNodesAbsolute: both are 0")
	}
	if w := args.WhenNotUnderstood; w != "" && w != Isolate && w != DefaultPreemption {
		return Args{}, fmt.Errorf("args: whenNotUnderstood: %q is neither %s nor %s", w, Isolate, DefaultPreemption)
	}
	if args.Workers < 0 || args.Workers > mostWorkers {
		return Args{}, fmt.Errorf("args: workers: %d is not between 0 and %d", args.Workers, mostWorkers)
	}
	return args, nil
}

// enough is how many candidates are, as in the arguments of DefaultPreemption; not sampled means that
// every node is looked at.
func (a *Args) enough() (percent, minimum int32, sampled bool) {
	percent, minimum = 10, 100
	if a.MinCandidateNodesPercentage != nil {
		percent = *a.MinCandidateNodesPercentage
	}
	if a.MinCandidateNodesAbsolute != nil {
		minimum = *a.MinCandidateNodesAbsolute
	}
	return percent, minimum, a.MinCandidateNodesPercentage != nil || a.MinCandidateNodesAbsolute != nil
}

// sample is the searched part of the cluster; nil means all of it.
func (a *Args) sample() *preemption.Sample {
	percent, minimum, sampled := a.enough()
	if !sampled {
		return nil
	}
	const none = -1 // where zero is the usual one
	return &preemption.Sample{Percent: cmp.Or(int(percent), none), Minimum: cmp.Or(int(minimum), none)}
}
