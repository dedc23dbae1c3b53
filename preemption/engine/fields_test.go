package engine_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// variation is two pods that differ in one field, in a cluster in which that
// field decides.
type variation struct {
	field string // as fieldsOf names it
	why   string // where there are several of a field
	c     *outrank.Cluster
	// a and b are the two pods, and both preempt unless asker does.
	a, b  *outrank.Pod
	asker *outrank.Pod
}

// String names the variation for the output.
func (v variation) String() string {
	if v.why == "" {
		return v.field
	}
	return v.field + ", " + v.why
}

// Pods that differ in a single field are never taken for equal: a snapshot
// whose cache knows one of them answers for the other as one that was never
// asked. Every field has a variation, or a reason to have none.
func TestEveryFieldOfAPreemptor(t *testing.T) {
	checkFields(t, askerVariations(), askerIrrelevant)
	for _, v := range askerVariations() {
		t.Run(v.String(), func(t *testing.T) {
			checkVariation(t, v)
			answers := map[string]bool{}
			for _, order := range [][]*outrank.Pod{{v.a, v.b, v.a}, {v.b, v.a, v.b}} {
				w := newWorld(t, v.c)
				for _, p := range order {
					// Three times each: from the second time on the cache has an entry.
					answers[fmt.Sprint(w.agree(t, p, gen.Now))] = true
				}
			}
			assert.Len(t, answers, 2, "the field has to decide: %v", answers)
		})
	}
}

// The same for pods in the cluster, on a node or nominated to one: what is
// known of one pod is never used for another.
func TestEveryFieldOfAPodInTheCluster(t *testing.T) {
	checkFields(t, residentVariations(), residentIrrelevant)
	for _, v := range residentVariations() {
		t.Run(v.String(), func(t *testing.T) {
			checkVariation(t, v)
			answers := map[string]bool{}
			for _, order := range [][]*outrank.Pod{{v.a, v.b, v.a}, {v.b, v.a, v.b}} {
				w := newWorld(t, v.c)
				w.schedulers = []string{outrank.DefaultScheduler}
				w.add(t, order[0])
				answers[fmt.Sprint(w.agree(t, v.asker, gen.Now))] = true
				for i, p := range order[1:] {
					w.become(t, order[i], p)
					answers[fmt.Sprint(w.agree(t, v.asker, gen.Now))] = true
				}
			}
			assert.Len(t, answers, 2, "the field has to decide: %v", answers)
		})
	}
}

// become puts a pod in the place of another: at once where it is a version of
// it, else one after the other, and for a moment both where they can be.
func (w *world) become(t fataler, old, p *outrank.Pod) {
	switch {
	case old.Key() != p.Key():
		w.add(t, p)
		w.remove(t, old.Key())
	case old.NodeName != p.NodeName || old.NominatedNodeName != p.NominatedNodeName:
		w.remove(t, old.Key())
		w.add(t, p)
	default:
		w.update(t, p)
	}
}

// checkVariation makes sure that a variation is what it says.
func checkVariation(t *testing.T, v variation) {
	t.Helper()
	differences := map[string]bool{}
	diffFields(reflect.ValueOf(v.a).Elem(), reflect.ValueOf(v.b).Elem(), "", differences)
	require.Equal(t, []string{v.field}, slices.Sorted(maps.Keys(differences)), "fields that differ")
}

// checkFields makes sure that each field of a pod is varied, or left out for a
// reason, and not both.
func checkFields(t *testing.T, vs []variation, irrelevant map[string]string) {
	t.Helper()
	fields := map[string]bool{}
	fieldsOf(reflect.TypeFor[outrank.Pod](), "", fields)
	varied := map[string]bool{}
	for _, v := range vs {
		varied[v.field] = true
		assert.True(t, fields[v.field], "there is no field %s", v.field)
	}
	for _, field := range slices.Sorted(maps.Keys(irrelevant)) {
		assert.True(t, fields[field], "there is no field %s", field)
		assert.False(t, varied[field], "field %s is irrelevant and varied", field)
		assert.NotEmpty(t, irrelevant[field])
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		assert.True(t, varied[field] || irrelevant[field] != "", "field %s is neither varied nor said to be irrelevant", field)
	}
}

// What a pod would like decides nothing: scores alone go by it.
func init() {
	fields := map[string]bool{}
	fieldsOf(reflect.TypeFor[outrank.Pod](), "", fields)
	for field := range fields {
		if strings.HasPrefix(field, "Preferences.") || strings.HasSuffix(field, "ontainers[].Image") {
			askerIrrelevant[field], residentIrrelevant[field] = "for scores", "for scores"
		}
	}
}

// leaf reports whether the parts of a type are not told apart.
func leaf(t reflect.Type) bool {
	switch {
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[resource.List]():
		return true
	case t.Kind() == reflect.Slice:
		return t.Elem().Kind() != reflect.Struct
	case t.Kind() == reflect.Pointer:
		return t.Elem().Kind() != reflect.Struct
	}
	return t.Kind() != reflect.Struct
}

// fieldsOf finds the fields of a type and of what it holds, by their paths.
func fieldsOf(t reflect.Type, path string, fields map[string]bool) {
	switch {
	case leaf(t):
		fields[path] = true
	case t.Kind() == reflect.Slice:
		fieldsOf(t.Elem(), path+"[]", fields)
	case t.Kind() == reflect.Pointer:
		fieldsOf(t.Elem(), path, fields)
	default:
		for i := range t.NumField() {
			fieldsOf(t.Field(i).Type, under(path, t.Field(i).Name), fields)
		}
	}
}

func under(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// diffFields returns the fields in which two values differ. Lists of different
// lengths differ as a whole, as does a pointer that only one of the values has.
func diffFields(a, b reflect.Value, path string, differences map[string]bool) {
	switch t := a.Type(); {
	case leaf(t):
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			differences[path] = true
		}
	case t.Kind() == reflect.Slice:
		if a.Len() != b.Len() {
			differences[path] = true
			return
		}
		for i := range a.Len() {
			diffFields(a.Index(i), b.Index(i), path+"[]", differences)
		}
	case t.Kind() == reflect.Pointer:
		if a.IsNil() != b.IsNil() {
			differences[path] = true
		} else if !a.IsNil() {
			diffFields(a.Elem(), b.Elem(), path, differences)
		}
	default:
		for i := range t.NumField() {
			diffFields(a.Field(i), b.Field(i), under(path, t.Field(i).Name), differences)
		}
	}
}

// A field without a variation changes no answer: a pod with all of these fields
// filled in is decided as without them.
func TestIrrelevantFieldsChangeNothing(t *testing.T) {
	c := yard()
	bare := lowly("r", 50, "a")
	full := *bare
	full.UID, full.Owner, full.PriorityClassName = "uid", outrank.Owner{Kind: "Job", Name: "j"}, "class"
	full.Ready, full.QOSClass, full.Static, full.Mirror = true, outrank.Burstable, true, true
	full.Containers = []outrank.Container{{Name: "named", Requests: bare.Containers[0].Requests, Limits: resource.MustList("cpu", "7"), Sidecar: true}}
	full.Resources = &resource.Requirements{Limits: resource.MustList("cpu", "9")}
	full.PreemptionPolicy = outrank.PreemptNever
	full.HostNetwork, full.HostUsers = true, new(bool)
	full.Containers[0].RestartsAll, full.Containers[0].BindMountOptions = true, true
	full.NodeSelector = map[string]string{"kind": "b"}
	full.Affinity.NodeAffinity = &outrank.NodeSelector{}
	full.Affinity.PodAffinity = []outrank.PodAffinityTerm{{LabelSelector: selects("nobody"), TopologyKey: "zone"}}
	full.Tolerations = []outrank.Toleration{{Operator: outrank.TolerationExists}}
	full.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", LabelSelector: selects("fa")}}
	w := newWorld(t, c)
	asker := caller()
	w.add(t, bare)
	want := w.agree(t, asker, gen.Now)
	require.Equal(t, preemption.Preempts, want.Outcome)
	w.update(t, &full)
	assert.Equal(t, want, w.agree(t, asker, gen.Now))

	same := *asker
	same.UID, same.Owner, same.PriorityClassName = "uid", outrank.Owner{Kind: "Job", Name: "j"}, "class"
	same.Ready, same.QOSClass, same.Static, same.Mirror = true, outrank.Burstable, true, true
	same.Group, same.StartTime, same.DisruptionReason = "g", gen.Now, outrank.PreemptionByScheduler
	same.ResizeInfeasible, same.ResizeDeferred = true, true
	same.Containers = []outrank.Container{{
		Name: "named", Requests: asker.Containers[0].Requests, Limits: resource.MustList("cpu", "7"),
		AllocatedResources: resource.MustList("cpu", "7"), Actual: resource.MustList("cpu", "7"), Sidecar: true,
	}}
	same.Resources = &resource.Requirements{Limits: resource.MustList("cpu", "9")}
	assert.Equal(t, want, w.agree(t, &same, gen.Now))
}
