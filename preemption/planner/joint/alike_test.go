package joint

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
)

// The key of a pod has every field of it except those of the caller's own.
func TestPodsCanBeTold(t *testing.T) {
	told := []reflect.Kind{
		reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
	}
	seen := map[reflect.Type]bool{}
	var look func(path string, typ reflect.Type)
	look = func(path string, typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			look(path, typ.Elem())
		case reflect.Map:
			assert.Equal(t, reflect.String, typ.Key().Kind(), path)
			look(path, typ.Elem())
		case reflect.Struct:
			for i := range typ.NumField() {
				if f := typ.Field(i); path+"."+f.Name != "Pod.Value" {
					look(path+"."+f.Name, f.Type)
				}
			}
		default:
			assert.Contains(t, told, typ.Kind(), path)
		}
	}
	look("Pod", reflect.TypeFor[outrank.Pod]())
	assert.Greater(t, len(seen), 20)
}

// Two pods look alike where they are equal, and nowhere else.
func TestPropertyAppendValue(t *testing.T) {
	equal := 0
	rapid.Check(t, func(t *rapid.T) {
		shape := gen.Full()
		c := gen.Cluster(shape).Draw(t, "cluster")
		var pods []*outrank.Pod
		for _, p := range c.Pods {
			bare, copied := *p, *p
			bare.Name, bare.UID, bare.NodeName = "", "", ""
			copied.Labels, copied.Containers = maps.Clone(p.Labels), slices.Clone(p.Containers)
			pods = append(pods, p, &bare, &copied)
		}
		for _, p := range pods {
			for _, q := range pods {
				same := string(appendValue(nil, reflect.ValueOf(p).Elem())) == string(appendValue(nil, reflect.ValueOf(q).Elem()))
				require.Equal(t, reflect.DeepEqual(p, q), same, "%+v and %+v", p, q)
				if same && p != q {
					equal++
				}
			}
		}
	})
	require.Positive(t, equal)
}
