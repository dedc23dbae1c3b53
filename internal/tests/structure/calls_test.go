package structure

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// moduleOfFiles writes a module to a folder of its own.
func moduleOfFiles(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.25\n"
	for name, text := range files {
		at := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.WriteFile(at, []byte(text), 0o644))
	}
	return dir
}

const calledSource = `package low

import "os"

type Amount int

func (a Amount) String() string { return text() }

func text() string { return os.Args[0] }

type Shape interface{ Area() int }

type Square struct{ side int }

func (s *Square) Area() int { return s.side }

type Circle struct{}

func (Circle) Area() int { return 3 }

type Named struct{ Square }

func (n Named) Name() string { return "" }

type List[T any] struct{ all []T }

func (l *List[T]) Add(x T) { l.all = append(l.all, x) }

func Each[T any](f func(T)) {}

var table = []func() int{one}

func one() int { return two }

var two = three()

func three() int { return 3 }

func Table() int { return table[0]() }

func Quiet() {}

func init() { atStart() }

func atStart() {}
`

const callingSource = `package m

import (
	"encoding/json"
	"fmt"
	"sort"

	"example.com/m/low"
)

type byName []string

func (b byName) Len() int           { return len(b) }
func (b byName) Less(i, j int) bool { return b[i] < b[j] }
func (b byName) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type written struct{}

func (written) MarshalJSON() ([]byte, error) { return nil, nil }
func (written) String() string               { return "" }

type failed struct{}

func (*failed) Error() string { return "" }

func Sums(s low.Shape) int  { return s.Area() }
func Square() int           { return Sums(&low.Square{}) }
func Promoted() int         { return (&low.Named{}).Area() }
func Prints(a low.Amount)   { fmt.Println("a", a) }
func PrintsAll(a []low.Amount) { fmt.Println(a) }
func Holds() low.Circle     { return low.Circle{} }
func Sorts(names []string)  { sort.Sort(byName(names)) }
func Writes() { json.Marshal(written{}) }
func Shows() string { return fmt.Sprint(written{}) }
func Fails() error { return &failed{} }
func Wraps(err error) error { return fmt.Errorf("%w", err) }
func Both() error { return Wraps(Fails()) }
func Generic() { var l low.List[int]; l.Add(1); low.Each(func(int) { low.Quiet() }) }
func Value() func() int { return (&low.Square{}).Area }
func Tables() int { return low.Table() }

type Door struct{ inner }

type inner struct{}

func (inner) Open() { low.Quiet() }
func (inner) hidden() {}
`

func TestCalls(t *testing.T) {
	dir := moduleOfFiles(t, map[string]string{"low/low.go": calledSource, "m.go": callingSource})
	c, err := ReadCalls(dir, "example.com/m")
	require.NoError(t, err)
	for _, test := range []struct {
		root           string
		reaches, never []string
		why            string
	}{
		{"m.Sums", nil, []string{"low.Square.Area", "low.Circle.Area"}, "nobody has a value of these types"},
		{"m.Square", []string{"m.Sums", "low.Square.Area"}, []string{"low.Circle.Area"}, "a call through an interface goes to the types at hand"},
		{"m.Holds", nil, []string{"low.Circle.Area"}, "a value without a call"},
		{"m.Promoted", []string{"low.Square.Area"}, []string{"low.Named.Name"}, "a method of an embedded type"},
		{"m.Prints", []string{"low.Amount.String", "low.text"}, nil, "fmt asks for the text"},
		{"m.PrintsAll", []string{"low.Amount.String"}, nil, "and for that of each in a list"},
		{"m.Sorts", []string{"m.byName.Len", "m.byName.Less", "m.byName.Swap"}, nil, "another module calls what its interface has"},
		{"m.Writes", []string{"m.written.MarshalJSON"}, []string{"m.written.String"}, "a document has other methods than a text"},
		{"m.Shows", []string{"m.written.String"}, []string{"m.written.MarshalJSON"}, ""},
		{"m.Fails", nil, []string{"m.failed.Error"}, "an error that nobody asks for its text"},
		{"m.Both", []string{"m.failed.Error"}, nil, ""},
		{"m.Generic", []string{"low.List.Add", "low.Each", "low.Quiet"}, nil, "by the generic function, and inside of a function that has no name"},
		{"m.Value", []string{"low.Square.Area"}, nil, "what is mentioned counts as called"},
		{"m.Tables", []string{"low.Table", "low.table", "low.one", "low.two", "low.three"}, []string{"low.Quiet"}, "through variables and their first values"},
		{"low.Quiet", []string{"low.init.low", "low.atStart"}, nil, "a package that is used begins"},
		{"m.Door.Open", nil, nil, ""},
	} {
		r, err := c.Reach(test.root)
		if test.root == "m.Door.Open" {
			require.EqualError(t, err, "there is no m.Door.Open to begin with")
			continue
		}
		require.NoError(t, err)
		for _, name := range test.reaches {
			assert.True(t, r.Has(name), "%s reaches %s: %s", test.root, name, test.why)
		}
		for _, name := range append(test.never, "m.nothing") {
			assert.False(t, r.Has(name), "%s does not reach %s: %s", test.root, name, test.why)
		}
	}

	r, err := c.Reach("m.Square")
	require.NoError(t, err)
	assert.Equal(t, []string{"m.Square", "m.Sums", "low.Square.Area"}, r.Way("low.Square.Area"))
	assert.Contains(t, r.Units(), c.Unit("low.Square.Area"))
	assert.Nil(t, c.Unit("m.nothing"))
	assert.True(t, c.Unit("low.two").Variable)

	exported, err := c.Exported("example.com/m")
	require.NoError(t, err)
	assert.Contains(t, exported, "m.Sums")
	assert.Contains(t, exported, "m.inner.Open", "which Door has")
	assert.NotContains(t, exported, "m.inner.hidden")
	assert.NotContains(t, exported, "m.byName.Len")
	_, err = c.Exported("example.com/other")
	require.Error(t, err)
}

// Where a declaration stands can be cut out of its file.
func TestPlacesOfUnits(t *testing.T) {
	dir := moduleOfFiles(t, map[string]string{"m.go": "package m\n\n// One is one.\nfunc One() int { return 1 }\n\nvar a, b = 1, 2\n"})
	c, err := ReadCalls(dir, "example.com/m")
	require.NoError(t, err)
	for name, want := range map[string]string{"m.One": "func One() int { return 1 }", "m.b": "a, b = 1, 2"} {
		u := c.Unit(name)
		text, err := os.ReadFile(u.File)
		require.NoError(t, err)
		assert.Equal(t, want, string(text[u.Begin:u.End]))
	}
}

func TestCallsOfNoModule(t *testing.T) {
	_, err := ReadCalls("/", "example.com/m")
	require.Error(t, err)
	_, err = ReadCalls(".", "example.com/nowhere")
	require.Error(t, err)
	dir := moduleOfFiles(t, map[string]string{"m.go": "package m\n\nvar x int = \"\"\n"})
	_, err = ReadCalls(dir, "example.com/m")
	require.Error(t, err)
}
