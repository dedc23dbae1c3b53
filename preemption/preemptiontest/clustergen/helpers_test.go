package clustergen_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// shapes has each subject alone, and all of them together.
var shapes = map[string]clustergen.Shape{
	"resources": {},
	"budgets":   {Budgets: 4},
	"nominated": {Nominated: 4},
	"groups":    {Groups: 2},
	"taints":    {Taints: true},
	"selectors": {Selectors: true},
	"ports":     {Ports: true},
	"affinity":  {Affinity: true},
	"spread":    {Spread: true},
	"volumes":   {Volumes: true},
	"features":  {Features: true},
	"full":      clustergen.Full(),
}

func cluster(t testing.TB, shape clustergen.Shape, seed uint64) *outrank.Cluster {
	t.Helper()
	c, err := clustergen.Cluster(shape, seed)
	require.NoError(t, err)
	return c
}

func preemptor(t testing.TB, shape clustergen.Shape, seed uint64) *outrank.Pod {
	t.Helper()
	p, err := clustergen.Preemptor(shape, seed)
	require.NoError(t, err)
	return p
}

func preemptorGroup(t testing.TB, shape clustergen.Shape, seed uint64) []*outrank.Pod {
	t.Helper()
	pods, err := clustergen.PreemptorGroup(shape, seed)
	require.NoError(t, err)
	return pods
}

// dump writes down everything that is not zero, in an order that depends on the
// value alone. A new field that is not set changes nothing.
func dump(w *bytes.Buffer, v reflect.Value) {
	if text, ok := v.Interface().(fmt.Stringer); ok && v.Kind() == reflect.Struct {
		w.WriteString(text.String())
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			w.WriteByte('&')
			dump(w, v.Elem())
		}
	case reflect.Struct:
		w.WriteByte('{')
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				fmt.Fprintf(w, "%s:", v.Type().Field(i).Name)
				dump(w, v.Field(i))
				w.WriteByte(' ')
			}
		}
		w.WriteByte('}')
	case reflect.Slice:
		w.WriteByte('[')
		for i := range v.Len() {
			dump(w, v.Index(i))
			w.WriteByte(' ')
		}
		w.WriteByte(']')
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		w.WriteString("map[")
		for _, key := range keys {
			fmt.Fprintf(w, "%q:", key.String())
			dump(w, v.MapIndex(key))
			w.WriteByte(' ')
		}
		w.WriteByte(']')
	default:
		fmt.Fprintf(w, "%#v", v.Interface())
	}
}

func text(values ...any) string {
	var w bytes.Buffer
	for _, v := range values {
		dump(&w, reflect.ValueOf(v))
		w.WriteByte('\n')
	}
	return w.String()
}

func hash(values ...any) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text(values...))))[:16]
}
