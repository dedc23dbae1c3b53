package reference

import "github.com/outrank-go/outrank"

// level is a group of pods or a composite group, as one level of a tree.
type level struct {
	key        outrank.Key
	composite  bool
	parent     outrank.Key
	disruption outrank.DisruptionMode
	priority   *int32
	policy     outrank.PreemptionPolicy
	scheduling outrank.GroupPolicy
	// count is the least number of pods, or groups, of a gang.
	count int
}

// lineage has the pod's group and those above it, the group first. It ends where
// a parent cannot be found, and after the last level that a tree may have (rules
// 12.6.4 and 12.6.6). It is empty for a pod whose group cannot be found.
func (a *attempt) lineage(p *outrank.Pod) []level { return a.lineageOf(p.GroupKey()) }

func (a *attempt) lineageOf(group outrank.Key) []level {
	var line []level
	next, ok := a.groupLevel(group)
	for ok && len(line) < outrank.MaxGroupLevels {
		line = append(line, next)
		next, ok = a.compositeLevel(next.parent)
	}
	return line
}

func (a *attempt) groupLevel(key outrank.Key) (level, bool) {
	for _, g := range a.cluster.Groups {
		if key != "" && g.Key() == key {
			return level{key, false, g.ParentKey(), g.DisruptionMode, g.Priority, g.PreemptionPolicy, g.Policy, int(g.MinCount)}, true
		}
	}
	return level{}, false
}

// compositeLevel finds nothing where composite groups do not exist.
func (a *attempt) compositeLevel(key outrank.Key) (level, bool) {
	if !a.rules.CompositeUnits {
		return level{}, false
	}
	for _, g := range a.cluster.Composites {
		if key != "" && g.Key() == key {
			return level{key, true, g.ParentKey(), g.DisruptionMode, g.Priority, g.PreemptionPolicy, g.Policy, int(g.MinGroupCount)}, true
		}
	}
	return level{}, false
}
