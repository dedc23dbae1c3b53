package joint

import (
	"cmp"
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// alikePods remembers which nodes take pods that differ in nothing that a node looks at. The zero value remembers
// nothing yet.
type alikePods struct {
	known map[string]elsewhere
	// looked is set once named is known.
	looked bool
	// named is set where some pod keeps others away. Nodes then look at labels and namespaces, which matter to
	// nothing else.
	named bool
	key   []byte // memory for the key of the next pod
}

// mostKnown bounds how many answers a Moves remembers. Beyond it all are forgotten.
const mostKnown = 1 << 14

// answer returns the answer that is known for a pod of the snapshot, or asks and remembers what ask says.
func (a *alikePods) answer(snap *engine.Snapshot, pod *outrank.Pod, ask func() (elsewhere, error)) (elsewhere, error) {
	if !a.looked {
		a.looked = true
		a.named = keepsOthersAway(snap)
	}

	// No node looks at the fields that are cleared here, so pods that are otherwise equal have the same answer.
	alike := *pod
	alike.Name, alike.UID = "", ""
	alike.Owner = outrank.Owner{}
	alike.Value = nil
	if !a.named {
		alike.Namespace, alike.Labels = "", nil
	}
	a.key = appendValue(a.key[:0], reflect.ValueOf(&alike).Elem())
	if found, ok := a.known[string(a.key)]; ok {
		return found, nil
	}

	found, err := ask()
	if err != nil {
		return found, err
	}
	if len(a.known) >= mostKnown || a.known == nil {
		a.known = map[string]elsewhere{}
	}
	a.known[string(a.key)] = found
	return found, nil
}

// keepsOthersAway reports whether any pod has anti-affinity.
func keepsOthersAway(snap *engine.Snapshot) bool {
	for p := range snap.Pods() {
		if len(p.Affinity.PodAntiAffinity) > 0 {
			return true
		}
	}
	return false
}

// appendValue appends a value with all that it points to, so that no two different values look alike. It goes
// through a struct field by field, so that a field which is added counts, too. Values such as functions append
// nothing: pods have none (TestPodsCanBeTold).
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		return append(b, v.String()...)
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		return appendValue(append(b, 1), v.Elem())
	case reflect.Struct:
		// Most fields of most pods are zero, and are left out. The number of a field tells which it is, and 0
		// ends them.
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				b = appendValue(binary.AppendUvarint(b, uint64(i+1)), f)
			}
		}
		return append(b, 0)
	case reflect.Slice, reflect.Map:
		return appendElements(b, v)
	case reflect.Array: // its length is that of its type
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
	}
	return b
}

// appendElements appends a slice, or a map with strings for keys, behind its length. The length is raised by
// one, which leaves 0 for nil.
func appendElements(b []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(v.Len()+1))

	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
		return b
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(x, y reflect.Value) int { return cmp.Compare(x.String(), y.String()) })
	for _, key := range keys {
		b = appendValue(appendValue(b, key), v.MapIndex(key))
	}
	return b
}
