package outrank

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank/internal/apis"
)

// PodDisruptionBudget limits how many of the pods it covers may be down by
// choice at the same time. Preemption honours budgets as far as it can, and
// breaks them where nothing else helps.
type PodDisruptionBudget struct {
	// Name and Namespace identify the budget; an empty Namespace is "default".
	// A budget covers pods of its own namespace alone.
	Name, Namespace string
	// Selector picks the covered pods. A nil, empty or invalid selector picks none.
	Selector *LabelSelector
	// MinAvailable and MaxUnavailable are the spec; at most one is set. A
	// decision does not look at them; package pdb computes a status from them.
	MinAvailable, MaxUnavailable *IntOrPercent

	// DisruptionsAllowed is how many covered pods may still go without breaking the
	// budget, as its status says. A budget without a status allows none;
	// Cluster.Warnings names it, and pdb.Fill computes its status.
	DisruptionsAllowed int32
	// CurrentHealthy is how many covered pods are ready, and DesiredHealthy how many must
	// be, as the status says. UnhealthyPodEvictionPolicy says whether a pod that is not
	// ready may be evicted whatever the budget allows. Preemption looks at none of the
	// three; evictions through the API do, such as the evictions of a drain.
	CurrentHealthy, DesiredHealthy int32
	UnhealthyPodEvictionPolicy     UnhealthyPodEvictionPolicy
	// ObservedGeneration is the generation of the spec that the status is about. It is 0 if no
	// controller has written the status. No decision looks at it.
	ObservedGeneration int64
	// DisruptedPods has the time of each eviction that the status counts already, by the
	// name of the pod. Evicting such a pod again costs nothing.
	DisruptedPods map[string]time.Time
}

// UnhealthyPodEvictionPolicy says when pods that are not ready may be evicted through the
// API without regard to what their budget allows.
type UnhealthyPodEvictionPolicy string

// The policies. An empty one means IfHealthyBudget.
const (
	// IfHealthyBudget allows the eviction while CurrentHealthy is at least DesiredHealthy.
	IfHealthyBudget UnhealthyPodEvictionPolicy = "IfHealthyBudget"
	// AlwaysAllow always allows the eviction.
	AlwaysAllow UnhealthyPodEvictionPolicy = "AlwaysAllow"
)

// Key returns the budget's key, "namespace/name".
func (b *PodDisruptionBudget) Key() Key { return NewKey(b.Namespace, b.Name) }

// NamespaceName returns the budget's namespace, "default" if it names none.
func (b *PodDisruptionBudget) NamespaceName() string { return namespaceOr(b.Namespace) }

// IntOrPercent is a number of pods, or a share of them in per cent. Its JSON
// is the JSON of Kubernetes: 3 or "30%".
type IntOrPercent struct {
	Value   int32
	Percent bool
}

// MarshalJSON returns 3 or "30%".
func (v IntOrPercent) MarshalJSON() ([]byte, error) {
	number := strconv.FormatInt(int64(v.Value), 10)
	if v.Percent {
		return []byte(`"` + number + `%"`), nil
	}
	return []byte(number), nil
}

// UnmarshalJSON reads 3 or "3" or "30%"; null changes nothing. The error is an
// *[InputError].
func (v *IntOrPercent) UnmarshalJSON(text []byte) error {
	if string(bytes.TrimSpace(text)) == "null" {
		return nil
	}

	// A JSON string is unquoted, and anything else read as it stands.
	var quoted string
	word := string(text)
	if json.Unmarshal(text, &quoted) == nil {
		word = quoted
	}
	number, percent := strings.CutSuffix(word, "%")
	value, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return newInputError([]Problem{{Object: "number or percentage", Text: apis.Quote(word) + " is neither a whole number nor a percentage"}})
	}
	*v = IntOrPercent{Value: int32(value), Percent: percent}
	return nil
}

// PriorityClass is a priority with a name. Package priority resolves and
// validates classes.
type PriorityClass struct {
	Name  string
	Value int32
	// GlobalDefault makes this the class of pods that name none.
	GlobalDefault bool
	// PreemptionPolicy is PreemptLowerPriority if empty.
	PreemptionPolicy PreemptionPolicy
	Description      string
}
