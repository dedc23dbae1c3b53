package preemption

import (
	"context"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// fitter is FirstFit kept up to date while pods are taken away and put back. It
// finds the same places and refuses with the same reasons as FirstFit asked
// afresh, and asks only the nodes whose answer can have changed:
//
//  1. What a node says to a pod of the group depends on nothing but the pods on
//     that node: those of the cluster and those of the group that were placed
//     before. newFitter makes sure of it, and returns nil where a filter of the
//     group looks further. So an answer holds until the node changes, and it
//     holds for all pods of one kind.
//  2. A pod of the group has the first node that takes it. If a node changes, the
//     pod's place changes only if it is that node, or if the node comes before it
//     and takes the pod now. Then the two nodes have changed for the pods of the
//     group that follow.
//  3. Where only NodeResourcesFit looks at pods (lean), a node that got another
//     pod takes nobody whom it did not take before. A unit that is put back on
//     nodes without a pod of the group changes nothing then.
type fitter struct {
	run  *groupRun
	snap *Snapshot
	// lean: of the filters only NodeResourcesFit looks at other pods. The sites
	// count what pods take then, and the snapshot stays as it was.
	lean  bool
	sites []site // by position
	// positionOf has the position of each slot.
	positionOf []int32
	members    []member
	missing    int // members without a node
	// first is the first member without a node.
	first int
	// answers is how many are remembered (mostAnswers).
	answers int
	// version is the last one that was given to a site.
	version uint32
	// changed are the positions where the pods are others than before, for the
	// members still to come. From those in left a member went away.
	changed, left []int32
	// moves and versions are what takeBack restores.
	moves    []move
	versions []uint32
	// at are the positions of the pods of the unit at hand, with repetitions.
	at []int32
}

// site is one node.
type site struct {
	// version is another one whenever the pods of the cluster on the node are
	// others. It is the old one again if the change is taken back.
	version uint32
	// count and taken follow the pods of the cluster on the node, if lean.
	count int32
	taken usage
	// seated are the members that have their place here, by index, sorted.
	seated []int32
	// rows are what the pods that could leave take, if they ask only for what has a
	// column; nil on a node where some ask for more. They are the node's own.
	rows []amountRow
}

// member is one pod of the group.
type member struct {
	pod  *outrank.Pod
	runs *podState // as a running pod, on no particular node
	kind *memberKind
	at   int32 // position, nowhere for none
}

const nowhere = -1

// move is a member that left its place.
type move struct {
	member int
	from   int32
}

// newFitter returns nil if it cannot stand in for FirstFit. The snapshot has all
// pods that will ever be put back, and the group's pods pending, without
// nominations.
func (r *groupRun) newFitter() *fitter {
	for _, own := range r.config.Filters {
		if _, ok := own.(nodeRuleFilter); !ok {
			return nil // it may look anywhere
		}
	}
	f := &fitter{run: r, snap: r.work, lean: true, version: 1, sites: make([]site, len(r.work.order)), positionOf: make([]int32, len(r.work.nodes))}
	kinds := map[string]*memberKind{}
	for _, pod := range r.pods {
		a, err := newAttempt(r.config, r.work, pod, time.Time{})
		if err != nil {
			return nil
		}
		local, lean := a.localTo(pod)
		if !local {
			return nil
		}
		f.lean = f.lean && lean
		state, _ := r.work.pods.of(pod)
		runs := &podState{pod: pod, class: state.class, takes: r.work.columns.running(pod), running: true}
		signature := a.signature()
		if signature == "" || kinds[signature] == nil {
			kinds[signature] = f.newKind(a)
		}
		f.members = append(f.members, member{pod, runs, kinds[signature], nowhere})
	}
	for i, slot := range r.work.order {
		n := r.snap.nodes[slot]
		f.positionOf[slot] = int32(i)
		f.sites[i] = site{version: f.version, count: int32(len(n.pods)), taken: n.taken}
		if f.sites[i].taken.extra = slices.Clone(n.taken.extra); len(n.taken.extra) == 0 {
			f.sites[i].rows = n.rows
		}
	}
	return f
}

// localTo reports whether every filter of the attempt looks at nothing but the
// pods on the node, wherever the other pods of the cluster are and whichever of
// those present now are away; and whether NodeResourcesFit alone looks at pods.
//
// A pod without affinity terms has nothing to fear from InterPodAffinity if no
// running pod's anti-affinity picks it (rule 7.13.15), and then neither with fewer
// pods. Members without terms do not pick each other. Spread rules count in the
// whole cluster, and so do claims that allow a single pod (rule 7.8.6).
func (a *attempt) localTo(pod *outrank.Pod) (local, lean bool) {
	if len(pod.Affinity.Pods)+len(pod.Affinity.AntiPods) > 0 {
		return false, false
	}
	if slices.ContainsFunc(pod.Volumes, func(v outrank.Volume) bool { return v.OncePod }) {
		return false, false
	}
	lean = true
	for _, f := range a.active {
		switch f.podFilter.(type) {
		case *fixedFilter, *callerFilter:
		case *wantedPorts, *wantedVolumes, *restrictedVolumes:
			lean = false
		default:
			return false, false
		}
	}
	return true, lean
}

// placeAll places the members anew, as FirstFit does.
func (f *fitter) placeAll(ctx context.Context) (placed bool, err error) {
	f.missing, f.first = 0, nowhere
	for i := range f.members {
		if i%chunkSize == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		to := f.scan(i, 0)
		if to != nowhere {
			f.seat(i, to)
		}
		if !f.settled(i, to) {
			return false, nil
		}
	}
	return true, ctx.Err()
}

// settled counts a member whose place is known, and reports whether there can
// still be enough.
func (f *fitter) settled(i int, at int32) bool {
	if at == nowhere {
		if f.missing++; f.missing == 1 {
			f.first = i
		}
	}
	return f.missing <= len(f.members)-f.run.wanted
}

// scan returns the first position from one on that takes the member. A member like
// the one before it has no place before that one's: there the nodes have the same
// pods for both.
func (f *fitter) scan(i int, from int32) int32 {
	if i > 0 && f.members[i-1].kind == f.members[i].kind {
		if f.members[i-1].at == nowhere {
			return nowhere
		}
		from = max(from, f.members[i-1].at)
	}
	for ; int(from) < len(f.sites); from++ {
		if f.takes(i, from) {
			return from
		}
	}
	return nowhere
}

// unseatAll takes the members off their nodes.
func (f *fitter) unseatAll() {
	for i := range f.members {
		if at := f.members[i].at; at != nowhere {
			f.sites[at].seated = f.sites[at].seated[:0]
			f.members[i].at = nowhere
		}
	}
}

// seat gives a member another place, or none.
func (f *fitter) seat(i int, to int32) {
	m := &f.members[i]
	if m.at != nowhere {
		s := &f.sites[m.at]
		at, _ := slices.BinarySearch(s.seated, int32(i))
		s.seated = slices.Delete(s.seated, at, at+1)
	}
	if m.at = to; to != nowhere {
		s := &f.sites[to]
		at, _ := slices.BinarySearch(s.seated, int32(i))
		s.seated = slices.Insert(s.seated, at, int32(i))
	}
}

// assignments are the places of those that have one.
func (f *fitter) assignments() []Assignment {
	var as []Assignment
	for i := range f.members {
		if m := &f.members[i]; m.at != nowhere {
			as = append(as, Assignment{m.pod, f.node(m.at).name})
		}
	}
	return as
}

func (f *fitter) node(position int32) *nodeState { return f.snap.nodes[f.snap.order[position]] }
