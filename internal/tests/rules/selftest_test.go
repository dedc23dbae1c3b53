package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the other tests of this package look for is found where it is there.

const sound = `# Rules: small things

What they are for.

## 1 First

**1.1** A rule
of two lines:

- with a list

**1.2** Another.

## 2 Second

### 2.1 Group

**2.1.1** One.

### 2.2 Group

**2.2.1** One.

### 2.3 Withdrawn: group
`

func TestASoundFile(t *testing.T) {
	b := newBook()
	b.read("x", sound)
	assert.Empty(t, append(b.problems, b.gaps()...))
	assert.Len(t, b.numbers, 9)
	assert.Equal(t, map[string]bool{"1": false, "2": false, "2.1": false, "2.2": false, "2.3": true}, b.withdrawn)
	assert.Equal(t, "x:18", b.places["2.1.1"])
}

func TestDefectsAreFound(t *testing.T) {
	const begin = "# Rules: x\n\nText.\n\n## 1 First\n\n**1.1** One.\n\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"no title", "## 1 First\n\n**1.1** One.\n", []string{`f:1: no title that begins with "# Rules: "`}},
		{"no rules", "# Rules: x\n\nText.\n", []string{"f: no rules"}},
		{"the same number twice", begin + "**1.1** Two.\n", []string{"f:9: 1.1 comes after 1.1", "f:9: 1.1 stands at f:7, too"}},
		{"a gap among rules", begin + "**1.3** Three.\n", []string{"f:9: there is no 1.2 before 1.3"}},
		{"a gap among chapters", begin + "## 3 Third\n\n**3.1** One.\n", []string{"f:9: there is no 2 before 3"}},
		{"chapters in the wrong order", "# Rules: x\n\n## 2 Second\n\n**2.1** One.\n\n## 1 First\n\n**1.1** One.\n", []string{"f:7: 1 comes after 2.1"}},
		{"a rule of another chapter", begin + "**2.1** One.\n", []string{`f:9: 2.1 stands below "1"`}},
		{"a rule beside the groups of its chapter", begin + "### 1.2 Group\n\n**1.3** Three.\n", []string{`f:11: 1.3 stands below "1.2"`}},
		{"a group with the marks of a chapter", begin + "## 1.2 Group\n\n**1.2.1** One.\n", []string{"f:9: 1.2 is not the number of such a heading"}},
		{"a rule that is hidden in another", begin + "**1.2** Two.\n**1.3** Three.\n", []string{"f:10: rule 1.3 does not begin a paragraph"}},
		{"a paragraph without a number", begin + "And so on.\n", []string{"f:9: a paragraph without a number"}},
		{"an empty chapter", begin + "## 2 Second\n", []string{"f:9: chapter 2 is empty"}},
		{"a rule of a group that is withdrawn", begin + "## 2 Second\n\n### 2.1 Withdrawn: group\n\n**2.1.1** One.\n", []string{"f:13: rule 2.1.1 of a group that is withdrawn"}},
		{"counting from 0", "# Rules: x\n\n## 1 First\n\n**1.0** None.\n", []string{"f:5: 1.0 counts from 0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBook()
			b.read("f", test.text)
			got := append(b.problems, b.gaps()...)
			for _, want := range test.want {
				assert.Contains(t, got, want)
			}
		})
	}
}

func TestCitationsAreFound(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"as rule 7.3.1 says.", []string{"7.3.1"}},
		{"(rules 7.1 to 7.4; upstream)", []string{"7.1", "7.4"}},
		{"rules 2.1, 2.3, and 4.2", []string{"2.1", "2.3", "4.2"}},
		{"Rules 2.1 and\n3.4.", []string{"2.1", "3.4"}},
		{"see rule\n12.2.1", []string{"12.2.1"}},
		{"chapters 9 and 10, group 7.3", []string{"9", "10", "7.3"}},
		{"in groups of 7, group 3 first", nil},
		{"the rules of 7 classes", nil},
		{"overrule 7", nil},
	} {
		assert.Equal(t, test.want, cited(test.text), "%q", test.text)
	}
}

func TestCommentsAreFound(t *testing.T) {
	_, comments, err := parse("f.go", []byte("// One (rule\n// 7.3).\npackage f\n\nvar s = \"rule 7.4\" /* rule 7.5 */\n"))
	require.NoError(t, err)
	require.Len(t, comments, 2)
	assert.Equal(t, "f.go:1", comments[0].at)
	assert.Equal(t, []string{"7.3"}, cited(comments[0].text))
	assert.Equal(t, []string{"7.5"}, cited(comments[1].text))
}
