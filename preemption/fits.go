package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// builtInFilter is a filter of kube-scheduler, as functions in the order in which they are called. All except
// ask may be nil. A filter of the caller gets the same form (addCaller).
type builtInFilter struct {
	name string
	// begin reads what the filter needs before the first node (PreFilter), and reports whether it has
	// anything to say about the pod. A filter without begin always has.
	begin func(a *attempt) bool
	// enter counts what the filter has to know about the pods on a node, when a dry run begins there.
	enter func(d *dryRun)
	// follow counts a pod that has come to its node (by is 1) or left it (-1). A filter without follow
	// looks at dryRun.pods when it is asked, or at no other pod than the preemptor.
	follow func(d *dryRun, p *occupant, by int)
	// ask returns the answer with the pods that are there at present.
	ask func(d *dryRun) Status
}

// builtIn lists the filters in the order in which v1.37 asks a node (rules 7.1.4 and 7.1.7). The functions
// of each stand in the filter_*.go of its name or group.
var builtIn = []builtInFilter{
	{name: NodeName, ask: (*dryRun).askNodeName},
	{name: NodeUnschedulable, ask: (*dryRun).askUnschedulable},
	{name: TaintToleration, ask: (*dryRun).askTaints},
	{name: NodeAffinity, ask: (*dryRun).askNodeAffinity},
	{name: NodePorts, begin: (*attempt).beginPorts, enter: (*dryRun).enterPorts, follow: (*dryRun).followPorts, ask: (*dryRun).askPorts},
	{name: DeferredPodScheduling, begin: (*attempt).beginDeferred, ask: (*dryRun).askDeferred},
	{name: NodeResourcesFit, begin: (*attempt).beginResources, ask: (*dryRun).askResources},
	{name: VolumeRestrictions, begin: (*attempt).beginRestrictions, enter: (*dryRun).enterRestrictions, follow: (*dryRun).followClaims, ask: (*dryRun).askRestrictions},
	{name: NodeVolumeLimits, begin: (*attempt).beginVolumes, ask: (*dryRun).askVolumeLimits},
	{name: VolumeBinding, begin: (*attempt).beginVolumes, ask: (*dryRun).askVolumeBinding},
	{name: VolumeZone, begin: (*attempt).beginVolumes, ask: (*dryRun).askVolumeZone},
	{name: PodTopologySpread, begin: (*attempt).beginSpread, enter: (*dryRun).enterSpread, follow: (*dryRun).followSpread, ask: (*dryRun).askSpread},
	{name: InterPodAffinity, begin: (*attempt).beginInterpod, enter: (*dryRun).enterInterpod, follow: (*dryRun).followInterpod, ask: (*dryRun).askInterpod},
	{name: NodeDeclaredFeatures, begin: (*attempt).beginFeatures, ask: (*dryRun).askFeatures},
}

// filtersOf lists the built-in filters in the order of the release (rule 7.1.7). It leaves out filters that are
// not asked about nodes: they are off, or the profile switches them off on nodes (rules 7.18.1 and 7.18.2).
func (a *attempt) filtersOf() []builtInFilter {
	list := slices.Clone(builtIn)
	if !a.rules.NodeNameFirst {
		list[0], list[1] = list[1], list[0]
	}

	return slices.DeleteFunc(list, func(f builtInFilter) bool {
		return a.off(f.name) || a.config.switchesOffOnNodes(f.name)
	})
}

// off reports whether a filter is asked nothing at all, neither before the first node nor about nodes. The
// profile switches some off (rule 7.18.1), and about a deferred resize only three are asked (rule 7.19.2).
func (a *attempt) off(name string) bool {
	if a.resize && name != NodeName && name != DeferredPodScheduling && name != NodeResourcesFit {
		return true
	}
	return a.config.switchesOff(name)
}

// beginFilters finds what the filters say before the first node (group 7.15), and keeps the filters that have
// something to say about nodes. The caller's filters come last (rule 7.1.4).
func (a *attempt) beginFilters() error {
	// A selector of the profile that cannot be read is an error whether or not its filter is on (rule 7.18.10).
	if err := a.readSpread(); err != nil {
		return err
	}

	a.refused = a.refusal()
	for _, f := range a.filtersOf() {
		if f.begin == nil || f.begin(a) {
			a.filters = append(a.filters, f)
		}
	}
	if err := a.beginCallers(); err != nil {
		return err
	}

	// This comes last, as it asks the filters about the nominated node.
	a.before = a.narrow()
	return nil
}

// askNodes returns the answer of every node before any pod leaves, from the filters (chapter 7) or from the
// caller.
func (a *attempt) askNodes(given func(position int, node *outrank.Node) (Status, bool)) ([]answer, error) {
	answers := make([]answer, len(a.sites))
	if given != nil {
		return answers, a.readGiven(given, answers)
	}

	for i, s := range a.sites {
		answers[i] = answer{site: s, before: a.asThingsAre(s)}
	}
	return answers, nil
}

// asThingsAre returns the answer of a node before any pod leaves. The filters are asked about the node,
// unless what they have said before the first node settles it (group 7.15).
func (a *attempt) asThingsAre(s *site) Status {
	switch {
	case a.refused.Code != Success:
		return a.refused
	case a.before.leavesOut(s):
		return a.before.excluded
	}
	return a.steps.fits(a.dryRun(s))
}

// fits asks the filters whether the pod may run on the node beside the pods that are there at present. If
// the node is promised to other pods that are at least as important, the filters are asked twice: with
// these pods in place, and without them, because they may never arrive and nothing must rest on them. Both
// answers have to be Success (group 7.16).
//
// The proofs about victims rest on filters that never fail because pods have left. internal/proof/fits.dfy
// proves that for the resources (Monotone), and says for which filters it does not hold.
func (d *dryRun) fits() Status {
	if promised := d.promised(); len(promised) > 0 {
		if status := d.with(promised).runFilters(); status.Code != Success {
			return status
		}
	}
	return d.runFilters()
}

// promised lists the pods that are nominated to the node and at least as important as the preemptor
// (rule 7.16.1).
func (d *dryRun) promised() []*occupant {
	var promised []*occupant
	for _, p := range d.site.nominated {
		if p.pod.PriorityValue() >= d.pod.PriorityValue() {
			promised = append(promised, p)
		}
	}
	return promised
}

// with returns a copy with more pods. Callers drop the copy after use instead of taking the pods away again:
// adding and removing a pod may leave other counts than never adding it (rule 7.6.7).
func (d *dryRun) with(pods []*occupant) *dryRun {
	c := d.copy()
	for _, p := range pods {
		c.add(p)
	}
	return c
}

// runFilters asks the filters in their order. The first that fails is the answer (rule 7.1.3).
func (d *dryRun) runFilters() Status {
	for _, f := range d.attempt.filters {
		if f.name == d.unasked {
			continue
		}
		if status := f.ask(d); status.Code != Success {
			return status
		}
	}
	return Status{}
}

// unschedulableBy returns the answer of a filter that fails, and may pass once pods leave (rule 7.1.1).
func unschedulableBy(name string, reasons ...string) Status {
	return Status{Code: Unschedulable, Filter: name, Reasons: reasons}
}

// unresolvableBy returns the answer of a filter that fails whichever pods leave (rule 7.1.1).
func unresolvableBy(name string, reasons ...string) Status {
	return Status{Code: UnschedulableAndUnresolvable, Filter: name, Reasons: reasons}
}
