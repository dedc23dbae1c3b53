package sample

import "testing"

func TestAdd(t *testing.T) {
	var l list
	l.add(-1)
	l.add(3)
	if len(l.items) != 1 || l.items[0] != 3 {
		t.Errorf("%v, want [3]", l.items)
	}
}

func TestFound(t *testing.T) {
	if !found([][]int{{0, 7}, {8}}, 8) || found([][]int{{0, 7}, {8}}, 7) {
		t.Error("a row ends at 0")
	}
}

func TestNegated(t *testing.T) {
	if negated(true) {
		t.Error("true is not false")
	}
}
