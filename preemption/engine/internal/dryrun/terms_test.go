package dryrun_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// Terms follow from the configuration alone.
func TestTermsThatFollow(t *testing.T) {
	chooser := preemption.Chooser{Name: "mine", Choose: func(preemption.NodeView) []*outrank.Pod { return nil }}
	type follows struct {
		Exact, Across, Chooser, Strict, VictimsAlone, Disabled bool
		Limit                                                  int
	}
	for _, test := range []struct {
		config preemption.Config
		want   follows
	}{
		{preemption.Config{}, follows{}},
		{preemption.Config{Victims: preemption.Exact{}}, follows{Exact: true}},
		{preemption.Config{Victims: preemption.Exact{Limit: 7}}, follows{Exact: true, Limit: 7}},
		{preemption.Config{Victims: preemption.Across{Limit: 7}}, follows{Across: true, Limit: 7}},
		{preemption.Config{Victims: chooser}, follows{Chooser: true}},
		{preemption.Config{Budgets: preemption.ChargeVictims}, follows{VictimsAlone: true}},
		{preemption.Config{Budgets: preemption.NeverViolate}, follows{Strict: true}},
		{preemption.Config{Profile: preemption.Profile{Off: []string{preemption.NodePorts}}}, follows{}},
		{preemption.Config{Profile: preemption.Profile{Off: []string{preemption.NodePorts, preemption.DefaultPreemption}}}, follows{Disabled: true}},
	} {
		got := dryrun.TermsOf(test.config)
		assert.Equal(t, test.want, follows{got.Exact, got.Across, got.Chooser != nil, got.Strict, got.VictimsAlone, got.Disabled, got.Limit})
	}
}

// The engine reads every field of a configuration: what it is handed is zero in none that is set.
func TestTermsHaveEveryField(t *testing.T) {
	for _, at := range fieldsOf(reflect.TypeFor[preemption.Config](), nil) {
		var c preemption.Config
		fillAny(reflect.ValueOf(&c).Elem().FieldByIndex(at))
		terms := dryrun.TermsOf(c)
		name := reflect.TypeFor[preemption.Config]().FieldByIndex(at).Name
		assert.False(t, reflect.ValueOf(terms.Config).FieldByIndex(at).IsZero(), "%s is not handed on", name)
	}
}

// fieldsOf are the fields of a structure, and in place of those that are structures the fields of these.
func fieldsOf(of reflect.Type, at []int) (out [][]int) {
	for i := range of.NumField() {
		field := append(append([]int(nil), at...), i)
		if of.Field(i).Type.Kind() == reflect.Struct {
			out = append(out, fieldsOf(of.Field(i).Type, field)...)
		} else {
			out = append(out, field)
		}
	}
	return out
}

// fillAny sets a field to a value that is not zero.
func fillAny(field reflect.Value) {
	switch field.Kind() {
	case reflect.Func:
		field.Set(reflect.MakeFunc(field.Type(), func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.Slice:
		field.Set(reflect.MakeSlice(field.Type(), 1, 1))
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
	case reflect.Interface:
		field.Set(reflect.ValueOf(preemption.Exact{}))
	case reflect.Bool:
		field.SetBool(true)
	default:
		field.Set(reflect.ValueOf(1).Convert(field.Type()))
	}
}
