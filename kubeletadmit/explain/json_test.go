package explain

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// objects are the tables of REPORT_JSON.md with what is written of each type.
var objects = map[string]document.Object{
	"Report": new(Report).object(), "Search": searchObject(&kubeletadmit.Certificate{}), "TierCount": countObject(&kubeletadmit.TierCount{}),
	"Kubelet": new(Kubelet).object(), "Pod": new(Pod).object(), "Amount": needObject(&kubeletadmit.ResourceNeed{}), "Failure": new(Failure).object(),
	"Label": new(Label).object(), "Port": new(Port).object(), "Taint": taintObject(&outrank.Taint{}), "Tier": new(Tier).object(),
	"Round": new(Round).object(), "Frees": contributionObject(&kubeletadmit.Contribution{}),
}

// REPORT_JSON.md has a table for each type that stands in a report, with the members in their order, and no other.
func TestReportsAreDescribed(t *testing.T) {
	text, err := os.ReadFile("REPORT_JSON.md")
	require.NoError(t, err)
	described := document.Described(string(text))
	want := map[string][]string{}
	for name, o := range objects {
		want[name] = o.Names()
	}
	assert.Equal(t, want, described)

	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] || typ.PkgPath() != reflect.TypeFor[Report]().PkgPath() {
			return
		}
		seen[typ] = true
		if _, cut := typ.FieldByName("Items"); !cut {
			assert.Contains(t, described, typ.Name())
		}
		for i := range typ.NumField() {
			look(typ.Field(i).Type)
		}
	}
	look(reflect.TypeFor[Report]())
}

// An amount that is written as a quantity and read back is the same, however large it is.
func TestPropertyAmountsReadBack(t *testing.T) {
	amounts := rapid.OneOf(rapid.Int64Min(-math.MaxInt64), rapid.SampledFrom([]int64{0, 1, 999, 1000, 1 << 30, math.MaxInt64, -math.MaxInt64}))
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]resource.Name{resource.CPU, resource.Memory, resource.Pods, "example.com/gpu", "hugepages-2Mi"}).Draw(t, "resource")
		draw := func(label string) int64 { return amounts.Draw(t, label) }
		want := Report{
			Failures: []Failure{{Check: kubeletadmit.CheckFailure{Resource: name, Requested: draw("requested"), Used: draw("used"), Capacity: draw("capacity")}}},
			Missing:  []kubeletadmit.ResourceNeed{{Resource: name, Amount: draw("missing")}},
			Tiers: List[Tier]{Items: []Tier{{
				Holds: []kubeletadmit.ResourceNeed{}, Covers: []kubeletadmit.ResourceNeed{},
				Rounds: List[Round]{Items: []Round{{Frees: []kubeletadmit.Contribution{{Resource: name, Needed: draw("needed"), Frees: draw("frees")}}}}, More: 2},
			}}},
			Stay: List[Pod]{Items: []Pod{{Key: "x/a"}}, More: 3},
		}
		text, err := json.Marshal(want)
		require.NoError(t, err)
		var got Report
		require.NoError(t, json.Unmarshal(text, &got))
		require.Equal(t, want, got)
	})
}

// What cannot be read is named, and leaves the report as it was.
func TestUnreadableReports(t *testing.T) {
	kept := Report{Node: "n"}
	for broken, field := range map[string]string{
		`{"failures":[{"resource":"cpu","used":"much"}]}`: "failures[0].used", `{"stay":[{"key":1}]}`: "stay[0].key", `7`: "",
	} {
		err := json.Unmarshal([]byte(broken), &kept)
		var input *outrank.InputError
		require.ErrorAs(t, err, &input, broken)
		assert.Equal(t, field, input.Problems[0].Field, broken)
		assert.Equal(t, Report{Node: "n"}, kept)
	}
	require.NoError(t, json.Unmarshal([]byte("null"), &kept))
	assert.ErrorIs(t, (*Report)(nil).UnmarshalJSON([]byte("{}")), outrank.ErrInvalid)
}
