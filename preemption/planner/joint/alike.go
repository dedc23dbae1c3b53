package joint

import (
	"cmp"
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
)

// alikePods caches where pods could run. Pods share an answer if they are equal in every field that a filter reads. The
// zero value is an empty cache.
type alikePods struct {
	known map[string]elsewhere
	// looked is set once named has been determined.
	looked bool
	// named is set if some pod of the snapshot has anti-affinity. Only then do filters read the labels and the
	// namespace of a pod that stands alone.
	named bool
	key   []byte // buffer for keys of known, reused by each call
}

// mostKnown bounds the number of cached answers. When it is reached, the cache is emptied.
const mostKnown = 1 << 14

// answer returns the cached answer for a pod. If there is none, it calls ask, and caches its answer.
func (a *alikePods) answer(snap *engine.Snapshot, pod *outrank.Pod, ask func() (elsewhere, error)) (elsewhere, error) {
	if !a.looked {
		a.looked = true
		a.named = keepsOthersAway(snap)
	}

	// No filter reads the fields that are cleared here, so pods that are otherwise equal have the same answer.
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

// keepsOthersAway reports whether any pod of the snapshot has anti-affinity.
func keepsOthersAway(snap *engine.Snapshot) bool {
	for p := range snap.Pods() {
		if len(p.Affinity.PodAntiAffinity) > 0 {
			return true
		}
	}
	return false
}

// appendValue appends an encoding of a value with all that it points to. Different values of one type have different
// encodings. It goes through a struct by reflection, so that a field added later is included, too. Functions and
// other values without a comparable content append nothing; pods have none (TestPodsCanBeTold).
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	// The length comes first, so that adjacent strings cannot be divided in two ways.
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
		// Most fields of most pods are zero, and are left out. The other fields are preceded by their number, and a
		// 0 ends the struct.
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				b = appendValue(binary.AppendUvarint(b, uint64(i+1)), f)
			}
		}
		return append(b, 0)
	case reflect.Slice, reflect.Map:
		return appendElements(b, v)
	case reflect.Array: // the type fixes the length, so it is not written
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
	}
	return b
}

// appendElements appends the length plus one, and then the elements, of a slice or of a map with string keys. A 0 in
// place of the length means nil.
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
