package clientgo_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	helpers "k8s.io/component-helpers/resource"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/apitest"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/kubescheduler/internal/apiserver"
	_ "github.com/outrank-go/outrank/preemption/kube" // reads the JSON of a pod
	"github.com/outrank-go/outrank/resource"
)

// wild makes values be drawn that nobody looks at when a status is written.
func wild(f *apitest.Filler) {
	f.Odd = 40
	f.Seconds = []int64{math.MaxInt64, math.MinInt64, 1 << 62, -1 << 62, -62_167_219_200 - 36_000, 253_402_300_800 + 36_000}
}

// Objects that an API server keeps are taken: with fields altered at random, and
// statuses with no regard to sense, as far as an API server lets them in. The
// same holds for their JSON, with the same result.
func TestPropertyWhatIsHeldIsTaken(t *testing.T) {
	withGates(t)
	for _, k := range kinds(t) {
		kept, refused := map[string]int{}, 0
		rapid.Check(t, func(rt *rapid.T) {
			f := &apitest.Filler{Rand: rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))}
			o := k.Valid[f.IntN(len(k.Valid))].DeepCopyObject()
			var altered []string
			for range 1 + f.IntN(4) {
				path := k.Read[f.IntN(len(k.Read))]
				f.Odd, f.Seconds = 5, nil
				if strings.HasPrefix(path, "status.") {
					wild(f)
				}
				f.Alter(f.At(reflect.ValueOf(o).Elem(), path), path)
				altered = append(altered, path)
			}
			apitest.MakeValid(o)
			stored, err := apiserver.Store(o)
			if err != nil {
				refused++
				return
			}
			for _, path := range altered {
				kept[path]++
			}
			if _, err := taken(rt, stored); err != nil {
				rt.Fatalf("%v\nis kept by an API server:\n%s", err, asText(stored))
			}
			if p, ok := stored.(*corev1.Pod); ok {
				countsAlike(rt, p)
			}
		})
		sum := 0
		for _, n := range kept {
			sum += n
		}
		t.Logf("%s: %d of %d fields altered and kept, %d objects refused", k.Name, len(kept), len(k.Read), refused)
		require.Positive(t, sum, k.Name)
	}
}

// countsAlike compares the requests of a pod on a node with the reference, and its JSON.
func countsAlike(t *rapid.T, p *corev1.Pod) {
	one, err := convert.Pod(p)
	if err != nil {
		t.Fatal(err)
	}
	var read outrank.Pod
	if err := json.Unmarshal([]byte(asText(p)), &read); err != nil {
		t.Fatalf("from JSON: %v\n%s", err, asText(p))
	}
	want := helpers.PodRequests(p, helpers.PodResourcesOptions{UseStatusResources: true, InPlacePodLevelResourcesVerticalScalingEnabled: true, ExcludeOverhead: true})
	for _, of := range []*outrank.Pod{one, &read} {
		of.Overhead = nil
		got := of.RunningRequests(outrank.V1_37)
		for name := range want {
			if q := want[name]; q.Sign() < 0 {
				want[name] = apiresource.Quantity{} // rule 2.2.19
			}
		}
		for name, q := range want {
			mine := apiresource.MustParse(fmt.Sprint(got[resource.Name(name)]))
			if mine.Cmp(q) != 0 {
				t.Fatalf("%s: %v, the reference %v\n%s", name, &mine, &q, asText(p))
			}
			if same := of.RunningRequestOf(outrank.V1_37, resource.Name(name)); !same.Equal(got[resource.Name(name)]) {
				t.Fatalf("%s: %v by itself, %v in the list\n%s", name, same, got[resource.Name(name)], asText(p))
			}
		}
		if len(got) > len(want) {
			t.Fatalf("%v, the reference %v", got, want)
		}
	}
}

func asText(o any) string {
	text, _ := json.MarshalIndent(o, "", " ")
	return string(text)
}
