package outrank_test

import (
	"context"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/resource"
)

// deepest is the level below an argument down to which fields are drawn; below, they are
// zero.
const deepest = 4

// drawer draws arguments of any type: most are nil, zero or empty, and some make
// sense, so that a call comes past its first check.
type drawer struct{ t *rapid.T }

// of draws a value of a type.
func (d drawer) of(typ reflect.Type, depth int) reflect.Value {
	if v, ok := d.leaf(typ); ok {
		return v
	}
	v := reflect.New(typ).Elem()
	if depth >= deepest {
		return v
	}
	switch typ.Kind() {
	case reflect.Pointer:
		d.pointer(v, depth)
	case reflect.Struct:
		if rapid.Bool().Draw(d.t, typ.Name()+" is not zero") {
			d.fields(v, depth)
		}
	case reflect.Slice:
		for range rapid.IntRange(0, 2).Draw(d.t, "length of "+typ.String()) {
			v.Set(reflect.Append(v, d.of(typ.Elem(), depth+1)))
		}
	case reflect.Map:
		d.pairs(v, depth)
	case reflect.Func:
		if rapid.Bool().Draw(d.t, "there is a "+typ.String()) {
			v.Set(zeroFunc(typ))
		}
	case reflect.Interface:
		d.implementation(v)
	}
	return v
}

// arguments draws the arguments of a function.
func (d drawer) arguments(f reflect.Type) []reflect.Value {
	var args []reflect.Value
	for i := range f.NumIn() {
		args = append(args, d.of(f.In(i), 0))
	}
	return args
}

// receiver draws a pointer that is not nil, and pointers that are not nil for
// embedded types, since methods are called on nothing else.
func (d drawer) receiver(pointer reflect.Type) reflect.Value {
	v := d.of(pointer, 0)
	if v.IsNil() {
		v = reflect.New(pointer.Elem())
	}
	if v.Elem().Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(v.Elem().Type()) {
			if f.Anonymous && f.IsExported() && len(f.Index) == 1 && f.Type.Kind() == reflect.Pointer && v.Elem().FieldByIndex(f.Index).IsNil() {
				v.Elem().FieldByIndex(f.Index).Set(reflect.New(f.Type.Elem()))
			}
		}
	}
	return v
}

// leaf draws a value without parts.
func (d drawer) leaf(typ reflect.Type) (reflect.Value, bool) {
	v := reflect.New(typ).Elem()
	switch {
	case typ == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(rapid.SampledFrom([]time.Time{{}, time.Unix(1e9, 0).UTC()}).Draw(d.t, "time")))
	case typ == reflect.TypeFor[resource.Quantity]():
		v.Set(reflect.ValueOf(resource.New(rapid.Int64Range(-1, 2).Draw(d.t, "amount"))))
	case v.CanInt():
		v.SetInt(d.number(typ))
	case v.CanUint():
		v.SetUint(rapid.SampledFrom([]uint64{0, 1, 2, 3, 255, math.MaxUint64}).Draw(d.t, typ.String()) & (1<<(8*typ.Size()-1)<<1 - 1))
	case v.CanFloat():
		v.SetFloat(rapid.SampledFrom([]float64{0, 1, -1, math.NaN(), math.Inf(1)}).Draw(d.t, typ.String()))
	case typ.Kind() == reflect.Bool:
		v.SetBool(rapid.Bool().Draw(d.t, typ.String()))
	case typ.Kind() == reflect.String:
		v.SetString(rapid.SampledFrom(words).Draw(d.t, typ.String()))
	default:
		return v, false
	}
	return v, true
}

// words are names of the cluster below, words of the API, and neither.
var words = []string{"", "a", "default/a", "default/b", "n1", "cpu", "pods", "In", "Exists", "Gt", "Guaranteed", "NoSchedule", "cluster"}

func (d drawer) number(typ reflect.Type) int64 {
	some := []int64{0, 1, 2, 3, -1, math.MaxInt8}
	if typ.Size() == 8 {
		some = append(some, math.MaxInt64, math.MinInt64)
	}
	return rapid.SampledFrom(some).Draw(d.t, typ.String())
}

func (d drawer) pointer(v reflect.Value, depth int) {
	typ := v.Type()
	sound, known := soundOnes[typ]
	switch rapid.SampledFrom([]string{"nil", "zero", "drawn", "sound"}).Draw(d.t, typ.String()) {
	case "zero":
		v.Set(reflect.New(typ.Elem()))
	case "drawn":
		v.Set(reflect.New(typ.Elem()))
		if typ.Elem().Kind() == reflect.Struct {
			d.fields(v.Elem(), depth)
		} else {
			v.Elem().Set(d.of(typ.Elem(), depth+1))
		}
	case "sound":
		if known {
			v.Set(reflect.ValueOf(sound()))
		}
	}
}

// fields draws the exported fields of a struct.
func (d drawer) fields(v reflect.Value, depth int) {
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			v.Field(i).Set(d.of(f.Type, depth+1))
		}
	}
}

func (d drawer) pairs(v reflect.Value, depth int) {
	if !rapid.Bool().Draw(d.t, "there is a "+v.Type().String()) {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	if rapid.Bool().Draw(d.t, "with something in it") {
		v.SetMapIndex(d.of(v.Type().Key(), depth+1), d.of(v.Type().Elem(), depth+1))
	}
}

// implementation draws nil or a known implementation of an interface.
func (d drawer) implementation(v reflect.Value) {
	var some []any
	for _, x := range implementations() {
		if reflect.TypeOf(x).Implements(v.Type()) {
			some = append(some, x)
		}
	}
	if len(some) > 0 && rapid.Bool().Draw(d.t, "there is a "+v.Type().String()) {
		v.Set(reflect.ValueOf(rapid.SampledFrom(some).Draw(d.t, v.Type().String())))
	}
}

// implementations are new values for interfaces. Contexts have ended, so that no
// call waits.
func implementations() []any {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	q, err := queue.New(queue.Config{})
	snap, also := engine.NewSnapshot(smallCluster())
	if err := errors.Join(err, also); err != nil {
		panic(err)
	}
	return []any{
		ended, strings.NewReader(""), strings.NewReader("{}"), io.Discard, &executiontest.Recorder{}, q, queue.NewFIFO(),
		&queue.Queue{}, snap, &engine.Snapshot{}, preemption.Refuse(preemption.Status{}),
	}
}

// zeroFunc returns a function that returns zero values.
func zeroFunc(typ reflect.Type) reflect.Value {
	return reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value {
		out := make([]reflect.Value, typ.NumOut())
		for i := range out {
			out[i] = reflect.Zero(typ.Out(i))
		}
		return out
	})
}

// smallCluster has a node with a pod on it, and two pods that wait.
func smallCluster() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "1", "pods", "10")}},
		Pods: []*outrank.Pod{
			{Name: "a", NodeName: "n1", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}},
			{Name: "b", NominatedNodeName: "n1"}, {Name: "c"},
		},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "b"}},
	}
}

// soundOnes make valid values, by type.
var soundOnes = map[reflect.Type]func() any{}

// sound enters the maker of a valid value of a type.
func sound[T any](make func() (*T, error)) {
	soundOnes[reflect.TypeFor[*T]()] = func() any {
		v, err := make()
		if err != nil {
			panic(err)
		}
		return v
	}
}

func init() {
	sound(func() (*outrank.Cluster, error) { return smallCluster(), nil })
	sound(func() (*outrank.Node, error) { return smallCluster().Nodes[0], nil })
	sound(func() (*outrank.Pod, error) {
		p := smallCluster().Pods[0]
		p.Name, p.NodeName, p.Priority = "preemptor", "", outrank.Priority(5)
		return p, nil
	})
	sound(func() (*engine.Snapshot, error) { return engine.NewSnapshot(smallCluster()) })
	sound(func() (*engine.Evaluator, error) { return engine.New(preemption.Config{}) })
	sound(func() (*queue.Queue, error) { return queue.New(queue.Config{}) })
}
