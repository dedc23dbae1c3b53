package explain

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
	"github.com/outrank-go/outrank/preemption"
)

// objects are the tables of REPORT_JSON.md with what is written of each type.
var objects = map[string]document.Object{
	"Report": new(Report).object(), "Choice": new(Choice).object(), "Round": new(Round).object(), "Score": scoreObject(&preemption.Score{}),
	"Victim": new(Victim).object(), "Budget": new(Budget).object(), "Stay": new(Stay).object(), "Spared": new(Spared).object(),
	"NodeGroup": new(NodeGroup).object(), "Way": new(Way).object(), "Step": new(Step).object(), "Leaving": new(Leaving).object(),
	"Nothing": new(Nothing).object(), "Eviction": new(Eviction).object(), "Nearest": new(Nearest).object(), "Enough": new(Enough).object(),
	"Obstacle": new(Obstacle).object(), "Room": new(Room).object(), "Nobody": new(Nobody).object(), "Taint": taintObject(&outrank.Taint{}),
	"Label": new(Label).object(), "Term": new(Term).object(), "Port": new(Port).object(), "Volume": new(Volume).object(),
	"Limit": new(limit).object(), "Spread": new(Spread).object(), "Neighbour": new(Neighbour).object(), "NodeAnswer": new(NodeAnswer).object(),
	"GroupReport": new(GroupReport).object(), "Seat": seatObject(&Pod{}), "NoPlace": new(NoPlace).object(), "GuardWord": guardObject(&Obstacle{}),
	"NodeWord": new(NodeWord).object(), "GroupVictim": new(GroupVictim).object(),
}

// within are types whose members stand among those of what they are part of.
var within = []reflect.Type{reflect.TypeFor[Answer](), reflect.TypeFor[Verdict](), reflect.TypeFor[Trial](), reflect.TypeFor[Topology](), reflect.TypeFor[Contender](), reflect.TypeFor[GroupName]()}

// REPORT_JSON.md has a table for each type that stands in a document, with the members in their order, and no
// other.
func TestDocumentsAreDescribed(t *testing.T) {
	text, err := os.ReadFile("REPORT_JSON.md")
	require.NoError(t, err)
	described := document.Described(string(text))
	want := map[string][]string{"Pod": {"key", "priority", "node"}, "Replacement": {"pod", "fate", "owner", "left", "ready", "tied", "node", "fits", "victims"}}
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
		if _, cut := typ.FieldByName("Items"); !cut && !slices.Contains(within, typ) {
			assert.Contains(t, described, typ.Name())
		}
		for i := range typ.NumField() {
			look(typ.Field(i).Type)
		}
	}
	for _, d := range []any{Report{}, NodeAnswer{}, GroupReport{}, Replacement{}} {
		look(reflect.TypeOf(d))
	}
}
