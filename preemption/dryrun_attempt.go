package preemption

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// attempt is one preemptor with all that can be worked out about it before the
// first node is looked at (PreFilter). Workers share it and do not change it.
type attempt struct {
	config   *Config
	ranks    []Rank
	snap     *Snapshot
	pod      *outrank.Pod
	priority int32
	now      time.Time
	nowAt    instant

	// onlyNamed is set where the pod can run on the nodes in named alone.
	onlyNamed bool
	named     map[string]bool

	needs   []need
	ports   []fit.HostPort
	volumes *volumes  // nil where the filters have nothing to say
	spread  *spread   // likewise
	inter   *interPod // likewise
	own     []ownFilter
	// resourcesAlone: of the filters that depend on pods, NodeResourcesFit alone
	// has something to say.
	resourcesAlone bool
}

// ownFilter is a filter of the caller's that has something to say.
type ownFilter struct {
	name  string
	place int
	state FilterState
}

func newAttempt(config *Config, snap *Snapshot, pod *outrank.Pod, now time.Time) (*attempt, error) {
	a := &attempt{}
	return a, a.begin(config, snap, pod, now)
}

// begin prepares an attempt; of an earlier one only memory is left.
func (a *attempt) begin(config *Config, snap *Snapshot, pod *outrank.Pod, now time.Time) error {
	if snap == nil {
		return fmt.Errorf("%w: no snapshot", outrank.ErrInvalid)
	}
	if err := checkPreemptor(snap, pod); err != nil {
		return err
	}
	*a = attempt{
		config: config, ranks: config.Policy.Ranks,
		snap: snap, pod: pod, priority: pod.PriorityValue(),
		now: now, nowAt: instantOf(now),
		needs: snap.columns.appendNeeds(a.needs[:0], pod), ports: fit.HostPorts(pod),
	}
	if a.ranks == nil {
		a.ranks = defaultRanks
	}
	a.named, a.onlyNamed = fit.NamedNodes(pod)
	a.volumes = newVolumes(snap, pod)
	a.spread = newSpread(snap, pod)
	a.inter = newInterPod(snap, pod)
	for i, f := range config.Filters {
		state, err := f.Start(pod, snap)
		if err != nil {
			return fmt.Errorf("filter %s: pod %s: %w", f.Name(), pod.Key(), err)
		}
		if state != nil {
			a.own = append(a.own, ownFilter{f.Name(), byOwn + i, state})
		}
	}
	a.resourcesAlone = len(a.ports) == 0 && a.volumes == nil && a.spread == nil && a.inter == nil && len(a.own) == 0
	return nil
}

func checkPreemptor(snap *Snapshot, pod *outrank.Pod) error {
	if err := pod.Validate(); err != nil {
		return err
	}
	if p, ok := snap.pods.of(pod); ok && p.running {
		return fmt.Errorf("pod %s: %w: it runs on node %s", pod.Key(), ErrState, p.node())
	}
	return nil
}

// nodeOnly asks the filters that look at the node alone (section 5). They are
// asked once per node: nothing that preemption does can change their answer.
func (a *attempt) nodeOnly(n *nodeState) status {
	switch {
	case a.onlyNamed && len(a.named) == 0:
		return fails(byNodeAffinity, conflictText)
	case a.onlyNamed && !a.named[n.name]:
		return status{code: UnschedulableAndUnresolvable, by: byNone, text: notFiltered}
	case fit.Unschedulable(a.pod, n.node):
		return fails(byUnschedulable, unschedulableText)
	case !fit.NodeName(a.pod, n.node):
		return fails(byNodeName, nodeNameText)
	case untolerated(a.pod, n.node):
		return fails(byTaints, taintText)
	case !fit.NodeAffinity(a.pod, n.node):
		return fails(byNodeAffinity, nodeAffinityText)
	}
	return status{}
}

func untolerated(pod *outrank.Pod, node *outrank.Node) bool {
	_, found := fit.UntoleratedTaint(pod, node, outrank.NoSchedule, outrank.NoExecute)
	return found
}

// moreImportant orders pods by importance, or as the caller would have it.
func (a *attempt) moreImportant(p, q *podState) int {
	if a.config.Importance != nil {
		if c := a.config.Importance(p.pod, q.pod); c != 0 {
			return c
		}
	}
	return p.compare(q, a.nowAt)
}

// mayEvict reports whether a pod could be a victim.
func (a *attempt) mayEvict(p *podState) bool {
	return p.priority() < a.priority &&
		(a.config.MayEvict == nil || a.config.MayEvict(a.pod, p.pod))
}

// status is a Status before its texts are made. Its zero value is success.
type status struct {
	code Code
	by   int // place of the filter, byNone for none
	// short are the needs that are not met, by bit, and tooMany whether the
	// pod count is one of them; set by NodeResourcesFit alone.
	short   uint64
	tooMany bool
	// text are the reasons where they are known from the start, and filter the
	// name of one that is none of ours.
	text   []string
	filter string
}

func fails(by int, text []string) status {
	return status{code: UnschedulableAndUnresolvable, by: by, text: text}
}

// Reasons that every status of their kind shares.
var (
	conflictText      = []string{reasonConflict}
	notFiltered       = []string{reasonNotFiltered}
	unschedulableText = []string{fit.ReasonUnschedulable}
	nodeNameText      = []string{fit.ReasonNodeName}
	taintText         = []string{fit.ReasonTaint}
	nodeAffinityText  = []string{fit.ReasonNodeAffinity}
	portsText         = []string{fit.ReasonNodePorts}
	diskText          = []string{reasonDisk}
	oncePodText       = []string{reasonOncePod}
	volumeLimitText   = []string{reasonVolumeLimit}
	volumeNodeText    = []string{reasonVolumeNode}
	volumeZoneText    = []string{reasonVolumeZone}
	spreadText        = []string{reasonSpread}
	spreadLabelText   = []string{reasonSpreadLabel}
	affinityText      = []string{reasonAffinity}
	antiAffinityText  = []string{reasonAntiAffinity}
	existingAntiText  = []string{reasonExistingAnti}
	noVictimsText     = []string{reasonNoVictims}
	droppedText       = []string{reasonDropped}
)

// public makes the texts.
func (a *attempt) public(s status) Status {
	if s.code == Success {
		return Status{}
	}
	out := Status{Code: s.code, Filter: s.filter, Reasons: s.text}
	switch {
	case s.by >= byOwn:
		for _, f := range a.own {
			if f.place == s.by {
				out.Filter = f.name
			}
		}
	case s.by > byNone:
		out.Filter = builtIn[s.by]
	}
	if s.by == byResources {
		out.Reasons = a.shortages(s)
	}
	return out
}
