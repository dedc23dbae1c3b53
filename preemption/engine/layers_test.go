package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/structure"
)

// layers of what of the engine is left in the package, the lowest first: the layers below
// are packages, which TestImportGraph holds to their order. A file belongs to the layer that
// its name begins with. What a file declares may be used by its own layer and by
// those above.
var layers = []string{"evaluator", "group"}

// door lists the files that have what users hold, in place of a layer.
var door = map[string]bool{
	"asked.go": true, "chooser.go": true, "config.go": true, "doc.go": true, "errors.go": true, "filter.go": true,
	"guard.go": true, "noderule.go": true, "nodeview.go": true, "snapshot.go": true, "snapshot_nodes.go": true,
	"snapshot_objects.go": true, "snapshot_pods.go": true, "snapshot_try.go": true,
	"verify.go": true,
}

func layerOf(file string) int {
	name, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
	return slices.Index(layers, name)
}

// ownSource is the source of this package.
func ownSource(t *testing.T) *structure.Package {
	t.Helper()
	p, err := structure.NewReader().Read(".")
	require.NoError(t, err)
	return p
}

// No layer refers upwards, so that the way of a question through the package
// leads down only.
func TestNoLayerRefersUpwards(t *testing.T) {
	uses := ownSource(t).References()
	for _, from := range slices.Sorted(maps.Keys(uses)) {
		if door[from] {
			continue
		}
		if !assert.GreaterOrEqual(t, layerOf(from), 0, "%s belongs to no layer", from) {
			continue
		}
		for _, to := range slices.Sorted(maps.Keys(uses[from])) {
			if door[to] {
				continue
			}
			assert.LessOrEqual(t, layerOf(to), layerOf(from), "%s uses %s of %s", from, uses[from][to], to)
		}
	}
}
