package outrank

import (
	"slices"
	"strings"
)

// The words that a field may have, where an API server refuses all others (rule 26.1.1). An empty one says nothing.
var (
	taintEffects = []TaintEffect{NoSchedule, PreferNoSchedule, NoExecute}
	// The last two tolerate nothing (rule 26.1.2).
	tolerationOperators   = []TolerationOperator{TolerationEqual, TolerationExists, "Lt", "Gt"}
	nodeInclusions        = []NodeInclusionPolicy{NodeHonor, NodeIgnore}
	unsatisfiablePolicies = []UnsatisfiablePolicy{DoNotSchedule, ScheduleAnyway}
	preemptionPolicies    = []PreemptionPolicy{PreemptLowerPriority, PreemptNever}
	unhealthyPolicies     = []UnhealthyPodEvictionPolicy{IfHealthyBudget, AlwaysAllow}
	qosClasses            = []QOSClass{BestEffort, Burstable, Guaranteed}
	protocols             = []string{"TCP", "UDP", "SCTP"}
	systems               = []string{"linux", "windows"}
)

// The words of fields of which a bool is kept.
var (
	groupsPolicies  = []string{"Merge", strictGroups}
	restartPolicies = []string{restartsAlways, "OnFailure", "Never"}
	restartActions  = []string{"Restart", restartAllAction}
	accessModes     = []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", oncePodMode}
	bindingModes    = []string{bindsAtOnce, waitsForPod}
	// Of groups alone: the conditions of a pod may have any status.
	conditionStatuses = []string{"True", "False", "Unknown"}
)

// isWord reports whether a word is one of the known or says nothing.
func isWord[T ~string](word T, known []T) bool { return word == "" || slices.Contains(known, word) }

// noWord is the text about a word that is none of the known.
func noWord[T ~string](word T, known []T) string {
	list := make([]string, len(known))
	for i := range known {
		list[i] = string(known[i])
	}
	if len(list) == 2 {
		return quote(string(word)) + " is neither " + list[0] + " nor " + list[1]
	}
	return quote(string(word)) + " is none of " + strings.Join(list, ", ")
}

// checkWord refuses the word of a field that is none of the known. The path is made only
// then.
func checkWord[T ~string](v *validator, word T, known []T, field string, parent *path) {
	if !isWord(word, known) {
		at := parent.field(field)
		v.add(&at, "%s", noWord(word, known))
	}
}

// word is checkWord for a word that is read and not kept.
func (cv *converter) word(word string, known []string, field string, parent *path) {
	if !isWord(word, known) {
		at := parent.field(field)
		cv.add(&at, "%s", noWord(word, known))
	}
}

func (v *validator) tolerations(ts []Toleration, spec *path) {
	list := spec.field("tolerations")
	for i := range ts {
		if t := &ts[i]; !t.faultless() {
			at := list.at(i)
			checkWord(v, t.Operator, tolerationOperators, "operator", &at)
			checkWord(v, t.Effect, taintEffects, "effect", &at)
		}
	}
}

func (t *Toleration) faultless() bool {
	return isWord(t.Operator, tolerationOperators) && isWord(t.Effect, taintEffects)
}

// taints refuses taints that have no effect, or one that there is not.
func (v *validator) taints(ts []Taint, spec *path) {
	list := spec.field("taints")
	for i := range ts {
		if ts[i].faultless() {
			continue
		}
		at := list.at(i)
		effect := at.field("effect")
		if ts[i].Effect == "" {
			v.add(&effect, "missing")
		} else {
			v.add(&effect, "%s", noWord(ts[i].Effect, taintEffects))
		}
	}
}

func (t *Taint) faultless() bool { return slices.Contains(taintEffects, t.Effect) }
