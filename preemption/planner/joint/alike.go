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
	// looked is set once named is known: it is set where pods keep others away by their labels and namespaces, which
	// matter to nobody else.
	looked, named bool
	key           []byte // memory for the next
}

// mostKnown bounds the memory of a Moves.
const mostKnown = 1 << 14

// answer returns what is known of a pod of the snapshot, or what ask says of it.
func (a *alikePods) answer(snap *engine.Snapshot, pod *outrank.Pod, ask func() (elsewhere, error)) (elsewhere, error) {
	if !a.looked {
		a.looked, a.named = true, keepsOthersAway(snap)
	}
	alike := *pod
	alike.Name, alike.UID, alike.Owner, alike.Value = "", "", outrank.Owner{}, nil
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

// appendValue appends a value, with all that it points to, so that no two that differ look alike. A struct is told
// field by field, so that a field which is added counts, too. Values that cannot be told, such as functions,
// look alike: what is told has none (TestPodsCanBeTold).
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
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() { // most fields of most pods are
				b = appendValue(binary.AppendUvarint(b, uint64(i+1)), f)
			}
		}
		return append(b, 0)
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			return append(b, 0)
		}
		b = binary.AppendUvarint(b, uint64(v.Len()+1))
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
	case reflect.Map: // the keys are strings
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return cmp.Compare(x.String(), y.String()) })
		for _, key := range keys {
			b = appendValue(appendValue(b, key), v.MapIndex(key))
		}
	}
	return b
}
