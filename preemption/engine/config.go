package engine

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// Config is how to decide. The zero value decides as kube-scheduler does,
// looking at every node, on the caller's goroutine.
//
// A setting goes together with every other, and holds for every call, but for what the
// table says. [NewEvaluator] refuses the settings in the third column, and the calls in the
// fourth refuse an evaluator that has the setting: [Evaluator.Exactly], with which
// joint.RegretOf begins, [Evaluator.PreemptAcross], [Evaluator.PreemptGroup] and that of
// package joint. What a call leaves out without harm its own comment says.
//
//	about | setting                | refused with                                            | refused by
//	who   | MayEvict               |                                                         |
//	who   | MayTake                |                                                         |
//	who   | Guard                  | Policy.Exact, Policy.Strict                             | Exactly, PreemptAcross
//	who   | Chooser                | Policy.Exact                                            | joint.Preempt
//	who   | Chooser.AnyPriority    | Policy.Exact                                            | Exactly, joint.Preempt
//	who   | Policy.Exact           | Chooser, Chooser.AnyPriority, Extenders, Guard, Scorers | PreemptGroup
//	who   | Policy.Strict          | Extenders, Guard                                        | PreemptGroup, joint.Preempt
//	who   | Importance             |                                                         |
//	best  | Policy.Ranks           |                                                         |
//	best  | Policy.VictimsAlone    |                                                         | PreemptGroup
//	best  | Cost                   |                                                         |
//	best  | Scorers                | Policy.Exact                                            | joint.Preempt
//	best  | Extenders              | Policy.Exact, Policy.Strict                             | joint.Preempt
//	best  | Sample                 |                                                         |
//	best  | Policy.NominatedInTurn |                                                         |
//	else  | Release                |                                                         |
//	else  | Variant                |                                                         |
//	else  | Filters                |                                                         |
//	else  | Plugins                |                                                         |
//	else  | Schedulers             |                                                         |
//	else  | MayPreempt             |                                                         | PreemptGroup
//	else  | Policy.Disabled        |                                                         |
//	else  | Policy.Limit           |                                                         |
//	else  | Policy.CallLimit       |                                                         |
//	else  | Workers                |                                                         |
type Config struct {
	// Release is whose rules hold; zero means those of the snapshot that a call is
	// about. A call about a snapshot of another release is an error.
	Release outrank.Release
	// Filters are rules of the caller. They are asked after the built-in
	// filters, in this order.
	Filters []*preemption.Filter
	// Workers is the number of goroutines that share the work of one call; zero
	// means one, the caller's own. The answer does not depend on it. More than
	// one helps on large clusters only: with the default rules, Preempt uses
	// one for fewer than 1,024 nodes. All goroutines have ended when the call
	// returns.
	Workers int
	// Variant is whose preemption is followed; zero is today's scheduler. What is
	// carried out, and the queue, have a Variant of their own, which is to be the same.
	Variant outrank.Variant
	// Policy is what is decided in another way than by the Variant.
	Policy preemption.Policy
	// Plugins switches built-in filters off and changes what they ask for. The
	// zero value is the default profile of kube-scheduler.
	Plugins preemption.Plugins
	// Sample limits the search to some of the nodes; nil means all nodes.
	Sample *preemption.Sample
	// Schedulers are the names of the schedulers that share their nominations, as the
	// profiles of one kube-scheduler do: nominations of other schedulers' pods count
	// nowhere (rule 7.16.3). Empty means that every nomination in the snapshot counts,
	// which is right where the snapshot holds no other scheduler's pending pods.
	Schedulers []string
	// Extenders can change the candidates. They are asked in this order; kube-scheduler puts
	// those that are ignorable behind the others (rule 10.2.1).
	Extenders []preemption.Extender
	// MayPreempt has the last word on whether the pod may preempt: it returns why not, and
	// nothing where it may (rule 8.13). It is told what chapter 8 says, and the status of the
	// node that the pod is nominated to, Success without one; returning by agrees. A pod that may not keeps its nomination. It is not asked where
	// the Policy has preemption Disabled, may be asked more than once, and must change
	// nothing. Groups of pods do not preempt by it. Nil agrees. Several goroutines may call
	// it at once.
	MayPreempt func(pod *outrank.Pod, nominated preemption.Status, by preemption.Ineligibility) preemption.Ineligibility
	// MayEvict protects pods: of the pods of lower priority, only those for
	// which it returns true can be victims. Nil allows all. Several goroutines
	// may call it at once.
	MayEvict func(preemptor, victim *outrank.Pod) bool
	// MayTake says which pod may take from which, in place of lower priority: a pod of any
	// priority is a possible victim if it returns the name of a rule, and none if it
	// returns the empty text. [preemption.Victim].Rule has the name. MayEvict still spares pods, and
	// scores count the victims' true priorities (group 13.6). Nil means lower priority.
	// It is asked about pods of the nodes that could still be the best, so that
	// [preemption.Plan.Unhelpful] is empty where there are victims. Several goroutines may call it at
	// once.
	MayTake func(preemptor, victim *outrank.Pod) (rule string)
	// Guard says which of the possible victims may leave together; nil lets any.
	Guard *preemption.Guard
	// Importance orders the possible victims of a node in place of priority and
	// start time. It is negative if a is more important than b. The default
	// order settles ties, and is used if Importance is nil. Several goroutines
	// may call it at once.
	//
	// Its answer must depend on the two pods alone, because a snapshot and its clones
	// remember the order of each node's pods, in four bytes a pod, for the four evaluators
	// that asked last. [Snapshot.PutPod] makes the pods of the pod's node be compared anew,
	// and a new Evaluator compares all.
	Importance func(a, b *outrank.Pod) int
	// Cost is what the loss of a victim costs, such as the work that is lost or the
	// time of a restart, in a unit of the caller's. Below 0 counts as 0, and sums
	// stop at the largest int64. The rank [preemption.ByCost] compares the sums, and
	// [preemption.Score.Cost] has them with any ranks.
	//
	// It is asked about any pods on the nodes, also about those that cannot be
	// victims, in no order and any number of times. Several goroutines may call it
	// at once. Its answer must depend on the pod alone, because a snapshot and its
	// clones remember it, for the four evaluators that asked last. Where a cost has
	// changed since, such as the age of a checkpoint, [Snapshot.PutPod] makes the
	// answers for all pods on the pod's node be asked for anew, and a new Evaluator
	// asks for all. What it looks up must not change during a call.
	Cost func(victim *outrank.Pod) int64
	// Chooser chooses the victims on a node in place of the rules of chapter 9; nil
	// means those. Groups of pods do without it.
	Chooser *Chooser
	// Scorers rank the candidates in place of the policy's ranks. The highest
	// score wins; the next scorer decides among equals, and the order of the
	// nodes in the end. Every node is then evaluated.
	Scorers []preemption.Scorer
}

var errNoConfig = fmt.Errorf("%w: no configuration", outrank.ErrInvalid)

// Validate returns everything that is wrong with the configuration, in one
// *[outrank.InputError].
func (c *Config) Validate() error {
	if c == nil {
		return errNoConfig
	}
	s := c.settings()
	return s.Validate()
}

// settings returns the configuration as the engine reads it.
func (c *Config) settings() dryrun.Settings {
	s := dryrun.Settings{
		Release:    c.Release,
		Filters:    c.Filters,
		Workers:    c.Workers,
		Variant:    c.Variant,
		Policy:     c.Policy,
		Plugins:    c.Plugins,
		Sample:     c.Sample,
		Schedulers: c.Schedulers,
		Extenders:  c.Extenders,
		MayPreempt: c.MayPreempt,
		MayEvict:   c.MayEvict,
		MayTake:    c.MayTake,
		Guard:      c.Guard,
		Importance: c.Importance,
		Cost:       c.Cost,
		Scorers:    c.Scorers,
	}
	if c.Chooser != nil {
		s.Chooser = c.Chooser.asked()
	}
	return s
}
