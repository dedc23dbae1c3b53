package convert_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/outrank-go/outrank/examples/clientgo/apitest"
)

// Every field of the API's types is read, or ignored for a stated reason.
func TestEveryFieldIsAccountedFor(t *testing.T) {
	for _, k := range kinds(t) {
		unused := map[string]bool{}
		for _, path := range slices.AppendSeq(slices.Clone(k.Read), maps.Keys(k.Ignored)) {
			unused[path] = true
		}
		k.Leaves(func(path string, _ reflect.Type) {
			at, reason := k.Why(path)
			switch read := slices.Contains(k.Read, path); {
			case read && reason != "":
				t.Errorf("%s: %s is both read and ignored", k.Name, path)
			case !read && reason == "":
				t.Errorf("%s: %s is new: read it, or say in apitest/fields.txt why not", k.Name, path)
			}
			delete(unused, path)
			delete(unused, at)
		})
		for _, path := range slices.Sorted(maps.Keys(unused)) {
			t.Errorf("%s: there is no %s any more", k.Name, path)
		}
	}
}

func kinds(t *testing.T) []apitest.Kind {
	all, err := apitest.Kinds()
	require.NoError(t, err)
	return all
}

// result is the result of a conversion.
type result struct {
	value any
	err   string
}

func resultOf(k apitest.Kind, o any) result {
	value, err := k.Convert(o)
	if err != nil {
		return result{err: err.Error()}
	}
	return result{value: value}
}

// changes reports whether another value at the path of some object changes the
// result.
func changes(k apitest.Kind, path string, tries int) bool {
	f := &apitest.Filler{Rand: rand.New(rand.NewPCG(1, uint64(len(path)))), Sparse: true}
	for range tries {
		o := reflect.New(k.Type)
		f.Fill(o.Interface())
		apitest.MakeValid(o.Interface())
		at := f.At(o.Elem(), path)
		apitest.MakeValid(o.Interface())
		before := resultOf(k, o.Interface().(runtime.Object).DeepCopyObject())
		f.Alter(at, path)
		if !reflect.DeepEqual(before, resultOf(k, o.Interface())) {
			return true
		}
	}
	return false
}

// A field listed as read counts: there are objects that differ in that field
// alone and have different results.
func TestReadFieldsCount(t *testing.T) {
	for _, k := range kinds(t) {
		for _, path := range k.Read {
			if !changes(k, path, 3000) {
				t.Errorf("%s: %s is listed as read, but makes no difference", k.Name, path)
			}
		}
	}
}

// A field listed as ignored does not count.
func TestIgnoredFieldsDoNotCount(t *testing.T) {
	for _, k := range kinds(t) {
		for _, path := range slices.Sorted(maps.Keys(k.Ignored)) {
			if changes(k, path, 30) {
				t.Errorf("%s: %s is listed as ignored, but makes a difference", k.Name, path)
			}
		}
	}
}

// Prints the fields found by trying, to begin a list with: OUTRANK_FIELDS=1 go test -run
// ListFields.
func TestListFields(t *testing.T) {
	if os.Getenv("OUTRANK_FIELDS") == "" {
		return
	}
	for _, k := range kinds(t) {
		read, ignored := []string{}, []string{}
		k.Leaves(func(path string, _ reflect.Type) {
			if changes(k, path, 40) {
				read = append(read, path)
			} else {
				ignored = append(ignored, path)
			}
		})
		fmt.Printf("%s: read\n", k.Name)
		for _, path := range read {
			fmt.Println("  " + path)
		}
		fmt.Printf("%s: ignored, \n", k.Name)
		for _, path := range collapsed(read, ignored) {
			fmt.Println("  " + path)
		}
	}
}

// collapsed names a struct with nothing but ignored fields in place of each of them.
func collapsed(read, ignored []string) []string {
	var out []string
	for _, path := range ignored {
		at := path
		for {
			i := strings.LastIndexAny(at, ".[")
			if i < 0 || slices.ContainsFunc(read, func(r string) bool {
				return r == at[:i] || strings.HasPrefix(r, at[:i]+".") || strings.HasPrefix(r, at[:i]+"[")
			}) {
				break
			}
			at = at[:i]
		}
		if !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	return out
}
