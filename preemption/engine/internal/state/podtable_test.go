package state

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Two rules that are asked in turn keep a table each: the one that is used again takes the place in front, and the
// other stays behind it.
func TestTablesOfPodsAreKept(t *testing.T) {
	var m podAnswers
	tables := map[string]*podTable[int]{}
	rules := []string{"one", "two", "three"}
	for _, rule := range rules {
		tables[rule] = tableOf[int](&m, rule)
	}
	for range 3 {
		for _, rule := range rules {
			assert.Same(t, tables[rule], tableOf[int](&m, rule), "the table of rule %s", rule)
			assert.Same(t, tables[rule], m.tables[0], "the last one used stands in front")
		}
	}
	assert.Len(t, m.tables, len(rules))

	// Of more rules than there is room for, the one that was used longest ago goes.
	for rule := range mostPodTables {
		tableOf[int](&m, rule)
	}
	assert.Len(t, m.tables, mostPodTables)
	assert.NotSame(t, tables["one"], tableOf[int](&m, "one"))
}
