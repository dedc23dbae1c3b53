package outrank

import (
	"slices"

	"github.com/outrank-go/outrank/internal/fields"
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

// checkWord refuses the word of a field that is none of the known. The path is made only
// then.
func checkWord[T ~string](v *validator, word T, known []T, field string, parent *fields.Path) {
	if !fields.IsWord(word, known) {
		at := parent.Field(field)
		v.add(&at, "%s", fields.NoWord(word, known))
	}
}

// word is checkWord for a word that is read and not kept.
func (cv *converter) word(word string, known []string, field string, parent *fields.Path) {
	if !fields.IsWord(word, known) {
		at := parent.Field(field)
		cv.add(&at, "%s", fields.NoWord(word, known))
	}
}

func (v *validator) tolerations(ts []Toleration, spec *fields.Path) {
	list := spec.Field("tolerations")
	for i := range ts {
		if t := &ts[i]; !t.faultless() {
			at := list.At(i)
			checkWord(v, t.Operator, tolerationOperators, "operator", &at)
			checkWord(v, t.Effect, taintEffects, "effect", &at)
		}
	}
}

func (t *Toleration) faultless() bool {
	return fields.IsWord(t.Operator, tolerationOperators) && fields.IsWord(t.Effect, taintEffects)
}

// taints refuses taints that have no effect, or one that there is not.
func (v *validator) taints(ts []Taint, spec *fields.Path) {
	list := spec.Field("taints")
	for i := range ts {
		if ts[i].faultless() {
			continue
		}
		at := list.At(i)
		effect := at.Field("effect")
		if ts[i].Effect == "" {
			v.add(&effect, "missing")
		} else {
			v.add(&effect, "%s", fields.NoWord(ts[i].Effect, taintEffects))
		}
	}
}

func (t *Taint) faultless() bool { return slices.Contains(taintEffects, t.Effect) }
