package clientgo_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/apitest"
	"github.com/outrank-go/outrank/examples/kubescheduler/internal/apiserver"
)

// sources are the packages whose constants are the words of the API.
var sources = []string{
	"k8s.io/api/core/v1", "k8s.io/api/policy/v1", "k8s.io/api/scheduling/v1", "k8s.io/api/scheduling/v1alpha3",
	"k8s.io/api/scheduling/v1beta1", "k8s.io/api/storage/v1", "k8s.io/apimachinery/pkg/apis/meta/v1",
}

// wordsOf lists the constants of each type of words, as the reference's source has them.
func wordsOf(t *testing.T) map[string][]string {
	words := map[string][]string{}
	for _, source := range sources {
		at, err := build.Import(source, ".", build.FindOnly)
		require.NoError(t, err)
		files, err := filepath.Glob(filepath.Join(at.Dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range parsed.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
					addWords(words, source, g)
				}
			}
		}
	}
	return words
}

func addWords(words map[string][]string, source string, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		of, typed := v.Type.(*ast.Ident)
		for _, value := range v.Values {
			text, ok := value.(*ast.BasicLit)
			if typed && ok && text.Kind == token.STRING && of.Name != "string" {
				if word, err := strconv.Unquote(text.Value); err == nil {
					words[source+"."+of.Name] = append(words[source+"."+of.Name], word)
				}
			}
		}
	}
}

// setWord puts a word at a place, with the fields that go with it.
func setWord(o any, v reflect.Value, word string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		v.Elem().SetString(word)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		v.Index(0).SetString(word)
	default:
		v.SetString(word)
	}
	apitest.SuitOperators(o)
}

// wordAt is the word at a place; empty where there is none.
func wordAt(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return v.Elem().String()
	case reflect.Slice:
		if v.Len() == 0 {
			return ""
		}
		return v.Index(0).String()
	}
	return v.String()
}

// says reports whether a word stands in a problem or in one of the warnings.
func says(word string, err error, warnings []outrank.Problem) bool {
	quoted := strconv.Quote(word)
	return err != nil && strings.Contains(err.Error(), quoted) ||
		slices.ContainsFunc(warnings, func(p outrank.Problem) bool { return strings.Contains(p.Text, quoted) })
}

// Every field of the API that has a type of words is held to them, or not read at
// all: a word that an API server keeps is taken, and one that it refuses is named
// in an error, or in a warning that nothing is selected (rules 26.1.1 to 26.1.4).
// The words and the verdicts are those of the reference.
func TestWordsAreThoseOfTheAPI(t *testing.T) {
	withGates(t)
	words := wordsOf(t)
	f := &apitest.Filler{Rand: rand.New(rand.NewPCG(1, 1))}
	read, passed := 0, 0
	for _, k := range kinds(t) {
		k.Leaves(func(path string, of reflect.Type) {
			for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
				of = of.Elem()
			}
			all := words[of.PkgPath()+"."+of.Name()]
			if len(all) == 0 || of.Kind() != reflect.String {
				return
			}
			if _, reason := k.Why(path); reason != "" {
				passed++ // TestIgnoredFieldsDoNotCount shows that it does not count
				return
			}
			read++
			kept := 0
			for _, o := range k.Valid {
				for _, word := range append(slices.Clone(all), "no-such", strings.ToLower(all[0]), strings.ToUpper(all[0])+"s") {
					if holdWord(t, f, fmt.Sprintf("%s: %s: %q", k.Name, path, word), o.DeepCopyObject(), path, word, slices.Contains(all, word)) {
						kept++
					}
				}
			}
			require.Positive(t, kept, "%s: %s: no word is kept", k.Name, path)
		})
	}
	t.Log(read, "fields of words are read,", passed, "are not")
	require.Greater(t, read, 40)
}

// holdWord compares the result for a word at a place with the API server's, and
// reports whether that keeps it.
func holdWord(t *testing.T, f *apitest.Filler, about string, o runtime.Object, path, word string, known bool) bool {
	setWord(o, f.At(reflect.ValueOf(o).Elem(), path), word)
	stored, refused := apiserver.Store(o)
	if refused == nil && wordAt(f.At(reflect.ValueOf(stored).Elem(), path)) == word {
		warnings, err := taken(t, stored)
		require.NoError(t, err, about)
		// Not every word that is kept is one of the API's: a phase may be any text. What is absent beside the one object,
		// such as the claims of a pod, is told as well.
		require.False(t, known && says(word, nil, warnings), "%s: %v", about, warnings)
		return true
	}
	if !known {
		warnings, err := taken(t, o)
		require.True(t, says(word, err, warnings), "%s: %v; the API server says %v", about, err, refused)
	}
	return false
}
