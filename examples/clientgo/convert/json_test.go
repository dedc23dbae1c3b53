package convert_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/apitest"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/resource"
)

// viaJSON reads an object from its JSON.
func viaJSON[T any, P interface {
	*T
	json.Unmarshaler
}](o any) (*T, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var out T
	if err := P(&out).UnmarshalJSON(text); err != nil {
		return nil, err
	}
	return &out, nil
}

// sameQuantity compares amounts and their formats, and tells no list from an empty one.
var sameQuantity = cmp.Comparer(func(a, b resource.List) bool {
	return (a == nil) == (b == nil) && maps.EqualFunc(a, b, func(a, b resource.Quantity) bool {
		return a.Equal(b) && a.Format() == b.Format()
	})
})

// agree compares a conversion with reading the JSON of the same object. It
// reports whether the object was let in.
func agree[T any](t rapid.TB, o any, got *T, err error, want *T, wantErr error) bool {
	t.Helper()
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("converted: %v\nread from JSON: %v\n%s", err, wantErr, asText(o))
	}
	if err != nil {
		var invalid *outrank.InputError
		if !errors.As(err, &invalid) || !errors.Is(err, outrank.ErrInvalid) {
			t.Fatalf("%T %v", err, err)
		}
		if diff := cmp.Diff(problemsOf(wantErr), problemsOf(err)); diff != "" {
			t.Fatalf("problems (-JSON +converted):\n%s\n%s", diff, asText(o))
		}
		return false
	}
	if diff := cmp.Diff(want, got, sameQuantity); diff != "" {
		t.Fatalf("(-JSON +converted):\n%s\n%s", diff, asText(o))
	}
	return true
}

// problemsOf lists the problems of objects that have a name; JSON has the place
// of one without a name in the input, which an object does not know.
func problemsOf(err error) []outrank.Problem {
	var invalid *outrank.InputError
	if !errors.As(err, &invalid) {
		return nil // no JSON at all
	}
	return slices.SortedFunc(slices.Values(invalid.Problems), func(a, b outrank.Problem) int {
		return slices.Compare([]string{a.Object, a.Field, a.Text}, []string{b.Object, b.Field, b.Text})
	})
}

func asText(o any) string {
	text, _ := json.MarshalIndent(o, "", " ")
	return string(text)
}

// check is the property of one kind.
func check[A, T any, P interface {
	*T
	json.Unmarshaler
}](t *testing.T, convert func(*A) (*T, error), name func(*A) *string) {
	t.Helper()
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		f := &apitest.Filler{Rand: rand.New(rand.NewPCG(seed, 1)), Odd: rapid.SampledFrom([]int{0, 0, 0, 1, 5}).Draw(t, "odd")}
		o := new(A)
		f.Fill(o)
		if *name(o) == "" {
			*name(o) = "n"
		}
		if f.Odd == 0 {
			apitest.MakeValid(o)
		}
		before := asText(o)
		got, err := convert(o)
		if after := asText(o); before != after {
			t.Fatalf("the object was changed: %s", cmp.Diff(before, after))
		}
		want, wantErr := viaJSON[T, P](o)
		if agree(t, o, got, err, want, wantErr) {
			accepted++
		} else {
			refused++
		}
	})
	t.Log(accepted, "accepted,", refused, "refused")
	if 10*accepted < accepted+refused {
		t.Error("too few of the objects are valid")
	}
}

func TestPropertyPodAsJSON(t *testing.T) {
	check(t, convert.Pod, func(p *corev1.Pod) *string { return &p.Name })
}

func TestPropertyNodeAsJSON(t *testing.T) {
	check(t, convert.Node, func(n *corev1.Node) *string { return &n.Name })
}

func TestPropertyBudgetAsJSON(t *testing.T) {
	check(t, convert.Budget, func(b *policyv1.PodDisruptionBudget) *string { return &b.Name })
}

func TestPropertyPriorityClassAsJSON(t *testing.T) {
	check(t, convert.PriorityClass, func(pc *schedulingv1.PriorityClass) *string { return &pc.Name })
}

func TestPropertyNamespaceAsJSON(t *testing.T) {
	check(t, convert.Namespace, func(ns *corev1.Namespace) *string { return &ns.Name })
}

func TestPropertyClaimAsJSON(t *testing.T) {
	check(t, convert.Claim, func(c *corev1.PersistentVolumeClaim) *string { return &c.Name })
}

func TestPropertyPodGroupAsJSON(t *testing.T) {
	check(t, convert.PodGroup, func(g *schedulingv1beta1.PodGroup) *string { return &g.Name })
	check(t, convert.PodGroupAlpha, func(g *schedulingv1alpha3.PodGroup) *string { return &g.Name })
}

func TestPropertyCompositePodGroupAsJSON(t *testing.T) {
	check(t, convert.CompositePodGroup, func(g *schedulingv1alpha3.CompositePodGroup) *string { return &g.Name })
}

func TestPropertyWorkloadAsJSON(t *testing.T) {
	check(t, convert.Workload, func(w *schedulingv1beta1.Workload) *string { return &w.Name })
	check(t, convert.WorkloadAlpha, func(w *schedulingv1alpha3.Workload) *string { return &w.Name })
}
