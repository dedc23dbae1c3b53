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

// Options are the program's settings of the plugin. The zero value suits a scheduler in a program of its own.
type Options struct {
	// Release says which rules hold. Zero means those of Reference, with the feature gates of this process.
	Release outrank.Release
	// Configuration is the scheduler's configuration file (package schedulerconfig). It has the arguments of the
	// filters, which a plugin's handle does not. Without it filters have their default arguments; which filters
	// are switched off is known in any case.
	Configuration *schedulerconfig.Configuration
	// Synchronous, if true, carries a plan out before the attempt ends. Nil means the setting of the feature gate
	// SchedulerAsyncPreemption.
	Synchronous *bool
	// Metrics collects the metrics. Nil means a collector that nobody reads.
	Metrics *metrics.Collector
	// Observe, if set, receives each decision before it is carried out, and must not change it. It does not
	// receive decisions that DefaultPreemption makes because an object is not understood.
	Observe func(Decision)
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// IsEligiblePod and MoreImportantVictim are hooks of DefaultPreemption, which asks them by its own rules. If
	// one of them is set, DefaultPreemption finds the victims for every pod. Decisions about groups do not ask
	// them, as in DefaultPreemption.
	IsEligiblePod       defaultpreemption.IsEligiblePodFunc
	MoreImportantVictim MoreImportantFunc
}

func (o *Options) hooked() bool { return o.IsEligiblePod != nil || o.MoreImportantVictim != nil }

// Decision is the decision about a pod or a group.
type Decision struct {
	// Plan is the plan for a pod, Group the plan for a group, Err the error of a decision that failed. One of the
	// three is set.
	Plan  *preemption.Plan
	Group *preemption.GroupPlan
	Err   error
	// Nomination holds the devices of the plan's nomination. It is nil unless the pod claims devices and the
	// arguments have DRAPreemption.
	Nomination *Nomination
	// HandedOver is the reason why DefaultPreemption's code found the victims. It is empty if this module found
	// them. A Plan that was handed over has no reasons about single victims; a Group has every victim as a unit
	// of its own and counts the violations at the first victims.
	HandedOver HandOver
	// nomination is the scheduler's nomination if the decision was handed over.
	nomination execution.Nomination
	// text is the plugin's message to the scheduler if the decision was handed over.
	text string
	// inMemory is the node of a nomination with devices that the API does not have yet.
	inMemory string
	// Followed is the time to bring the snapshot up to date. Decided is the time to find the answer.
	Followed, Decided time.Duration
}

// release returns the release with the feature gates of the process. Unfollowed are the gates that are set
// otherwise than usual and that only the scheduler's own code follows.
func (o *Options) release() (rules outrank.Release, unfollowed []string, err error) {
	// A program that names a release has said which gates hold, but for the gate that is an option of its own.
	if o.Release != 0 {
		if _, has := o.Release.Gates()[asyncPreemption]; !has {
			return o.Release, nil, nil
		}
		rules, err = o.Release.With(map[string]bool{asyncPreemption: o.asynchronous()})
		return rules, nil, err
	}

	// A gate that this process does not know keeps its usual setting. If the module has no rules for another
	// setting, With returns the error, except for the gates in handedOver.
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
	if rules, err = Reference.With(gates); err != nil {
		return 0, nil, fmt.Errorf("the scheduler's feature gates: %w", err)
	}
	return rules, unfollowed, nil
}

// handedOver are gates that change amounts which only the scheduler knows. If one of them is set otherwise than
// usual, DefaultPreemption finds all victims.
var handedOver = map[string]bool{"DRANodeAllocatableResources": true}

// asyncPreemption is the gate that the option Synchronous replaces. Which nominations a plan clears depends on
// it.
const asyncPreemption = "SchedulerAsyncPreemption"

// elsewhere are gates that change no decision of this plugin. They are about the scheduling queue, the kubelet,
// how calls are made, and how fast something is found.
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
	// MinCandidateNodesPercentage and MinCandidateNodesAbsolute mean what they mean in DefaultPreemptionArgs: the
	// search ends with that many candidates. If one of them is set, the other is 10 or 100 by default. If neither
	// is, the search looks at every node.
	MinCandidateNodesPercentage *int32 `json:"minCandidateNodesPercentage,omitempty"`
	MinCandidateNodesAbsolute   *int32 `json:"minCandidateNodesAbsolute,omitempty"`
	// Seed determines, together with the preemptor's name, at which node a sample begins; 0 means the first node.
	Seed uint64 `json:"seed,omitempty"`
	// Workers is the number of goroutines that share a decision; 0 means one.
	Workers int `json:"workers,omitempty"`
	// WhenNotUnderstood is the way to decide while an object in the cluster is not understood: Isolate or
	// DefaultPreemption. Empty means Isolate.
	WhenNotUnderstood string `json:"whenNotUnderstood,omitempty"`
	// PlanEvents posts an event PreemptionPlanned on the preemptor for every plan. That is one write more for each
	// preemption than DefaultPreemption makes.
	PlanEvents bool `json:"planEvents,omitempty"`
	// DRAPreemption preempts for devices that pods claim, as KEP-5690 proposes; no release of kube-scheduler does.
	// The plugin then has to be enabled in preFilter as well, before DynamicResources, and all profiles of a
	// scheduler have to agree.
	DRAPreemption bool `json:"draPreemption,omitempty"`
}

// decode reads arguments as strictly as the scheduler reads those of its own plugins: an unknown field, a field
// that occurs twice and a field in another case are errors.
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

// mostWorkers is the largest number of goroutines that may share a decision.
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

// enough returns how many candidates are enough, as a percentage of the nodes and as a minimum, with the defaults
// of DefaultPreemption. Sampled is false if the arguments have neither: every node is looked at then.
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

// sample returns the part of the cluster that is searched; nil means all of it.
func (a *Args) sample() *preemption.Sample {
	percent, minimum, sampled := a.enough()
	if !sampled {
		return nil
	}
	const none = -1 // zero would mean the default
	return &preemption.Sample{Percent: cmp.Or(int(percent), none), Minimum: cmp.Or(int(minimum), none)}
}
