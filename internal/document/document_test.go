package document_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/document"
)

// shelf has a member of every kind.
type shelf struct {
	name   string
	note   string
	width  int // kept in millimetres, written in centimetres
	height int
	books  []book
	cut    []string
	more   int
	best   *book
	first  book
	rest   []book
	locked bool
	state  string
}

type book struct{ title string }

func (b *book) object() document.Object { return document.Object{document.Value("title", &b.title)} }

func (s *shelf) object() document.Object {
	return document.Object{
		document.With(document.Follows("kind", "Shelf"), document.Value("name", &s.name)),
		document.Optional("note", &s.note),
		document.Through("width", func() int { return s.width / 10 }, func(cm int) { s.width = 10 * cm }),
		document.OptionalThrough("height", func() int { return s.height / 10 }, func(cm int) { s.height = 10 * cm }),
		document.Parts("books", &s.books, (*book).object),
		document.Cut(document.Value("cut", &s.cut), &s.more),
		document.Pointer("best", &s.best, (*book).object),
		document.If(s.first.title != "", document.Part("first", &s.first, (*book).object)),
		document.OptionalParts("rest", &s.rest, (*book).object),
		document.OptionalFollows("locked", s.locked),
		document.Else(document.Optional("state", &s.state), func() { s.state = "unknown" }),
	}
}

func TestMarshal(t *testing.T) {
	for name, tt := range map[string]struct {
		shelf shelf
		want  string
	}{
		"empty": {shelf{}, `{"kind":"Shelf","name":"","width":0,"books":[],"cut":[]}`},
		"full": {
			shelf{"a<b", "n", 120, 70, []book{{"x"}, {"y"}}, []string{"c"}, 3, &book{"z"}, book{"f"}, []book{{"r"}}, true, "open"},
			`{"kind":"Shelf","name":"a<b","note":"n","width":12,"height":7,"books":[{"title":"x"},{"title":"y"}],"cut":["c"],"moreCut":3,` +
				`"best":{"title":"z"},"first":{"title":"f"},"rest":[{"title":"r"}],"locked":true,"state":"open"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := document.Marshal(tt.shelf.object())
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(text))

			var again shelf
			require.NoError(t, document.Unmarshal(text, "shelf", again.object()))
			second, err := document.Marshal(again.object())
			require.NoError(t, err)
			if name == "empty" {
				assert.Equal(t, "unknown", again.state, "what is not there to be read")
				return
			}
			again.locked = true // it follows from what was written, and is not read
			assert.Equal(t, tt.shelf, again)
			assert.NotEqual(t, string(text), string(second))
		})
	}
}

func TestNames(t *testing.T) {
	assert.Equal(t, []string{"kind", "name", "note", "width", "height", "books", "cut", "moreCut", "best", "first", "rest", "locked", "state"},
		new(shelf).object().Names())
}

// Members that are not known, null and null in a list change nothing.
func TestUnmarshalPassesOver(t *testing.T) {
	kept := shelf{name: "kept", best: &book{"b"}}
	require.NoError(t, document.Unmarshal([]byte("null"), "shelf", kept.object()))
	require.NoError(t, document.Unmarshal([]byte(`{"colour":"red","name":null,"best":null,"books":[null,{}],"kind":7}`), "shelf", kept.object()))
	assert.Equal(t, shelf{name: "kept", best: &book{"b"}, books: []book{{}, {}}, state: "unknown"}, kept)
}

// An error names the document and the member.
func TestUnmarshalErrors(t *testing.T) {
	for text, field := range map[string]string{
		`{"width":"wide"}`:                 "width",
		`{"books":[{},{"title":1}]}`:       "books[1].title",
		`{"best":{"title":[]}}`:            "best.title",
		`{"books":{}}`:                     "books",
		`{"moreCut":"x"}`:                  "moreCut",
		`[]`:                               "",
		`{"name":"a","first":{"title":0}}`: "first.title",
	} {
		err := document.Unmarshal([]byte(text), "shelf", new(shelf).object())
		require.ErrorIs(t, err, outrank.ErrInvalid, text)
		var input *outrank.InputError
		require.ErrorAs(t, err, &input)
		require.Len(t, input.Problems, 1)
		assert.Equal(t, "shelf", input.Problems[0].Object)
		assert.Equal(t, field, input.Problems[0].Field, text)
	}
}

// faulty cannot be written.
type faulty struct{}

func (faulty) MarshalJSON() ([]byte, error) { return nil, errors.New("no") }

func TestMarshalErrors(t *testing.T) {
	list := []faulty{{}}
	for name, o := range map[string]document.Object{
		"value": {document.Value("a", &faulty{})},
		"parts": {document.Parts("a", &list, func(f *faulty) document.Object { return document.Object{document.Value("b", f)} })},
	} {
		_, err := document.Marshal(o)
		assert.ErrorContains(t, err, "no", name)
	}
}

func TestDescribed(t *testing.T) {
	const text = "# A\n\n| `x` | no section yet |\n\n## B\n\n| field | value |\n|---|---|\n| `b` | a b |\n| `moreB` | the rest |\n\n## C\n\n| `c` | c |\n"
	assert.Equal(t, map[string][]string{"": {"x"}, "B": {"b", "moreB"}, "C": {"c"}}, document.Described(text))
}

// What asks for the JSON says whether it is escaped for a page.
func TestEscapedByTheCaller(t *testing.T) {
	s := shelf{name: "<"}
	text, err := document.Marshal(s.object())
	require.NoError(t, err)
	assert.Contains(t, string(text), `"name":"<"`)
	outer, err := json.Marshal(json.RawMessage(text))
	require.NoError(t, err)
	assert.Contains(t, string(outer), `"name":"\u003c"`)
}
