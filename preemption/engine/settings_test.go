package engine

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// The engine reads every field of a configuration: what it is handed is zero in none that is set.
func TestTermsHaveEveryField(t *testing.T) {
	for _, at := range fieldsOf(reflect.TypeFor[preemption.Config](), nil) {
		var c preemption.Config
		fillAny(reflect.ValueOf(&c).Elem().FieldByIndex(at))
		terms := dryrun.TermsOf(copied(c))
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
