package preemption

import (
	"cmp"
	"slices"
)

// sortKey is what decides between nearly all units, close together in memory: a
// cluster can have hundreds of thousands of them.
type sortKey struct {
	priority int32
	// size is the number of pods of a group, 0 for a single pod. So a group comes
	// before a single pod, and before a group with fewer pods.
	size  int32
	sec   int64 // start
	nsec  int32
	index int32
}

// sort puts the units in order of importance (moreImportant).
func (r *groupRun) sort(units []*groupUnit) {
	if r.config.Importance != nil {
		slices.SortFunc(units, r.moreImportant)
		return
	}
	keys := make([]sortKey, len(units))
	for i, u := range units {
		keys[i] = sortKey{priority: u.priority, sec: u.start.sec, nsec: u.start.nsec, index: int32(i)}
		if u.group != nil {
			keys[i].size = int32(len(u.pods))
		}
	}
	slices.SortFunc(keys, func(a, b sortKey) int {
		switch {
		case a.priority != b.priority:
			return cmp.Compare(b.priority, a.priority)
		case a.size != b.size:
			return cmp.Compare(b.size, a.size)
		case a.sec != b.sec:
			return cmp.Compare(a.sec, b.sec)
		case a.nsec != b.nsec:
			return cmp.Compare(a.nsec, b.nsec)
		}
		return r.moreImportant(units[a.index], units[b.index])
	})
	unsorted := slices.Clone(units)
	for i := range keys {
		units[i] = unsorted[keys[i].index]
	}
}
