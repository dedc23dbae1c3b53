// Package sample has a place for each kind of change that the mutants know.
package sample

import "fmt"

var negated = func(ok bool) bool { return !ok }

type list struct{ items []int }

func (l *list) add(n int) {
	if n < 0 {
		return
	}
	l.items = append(l.items, n)
}

func between(low, high, n int) bool { return low <= n && n < high }

func swapped(low, high int) bool { return between(low, high, 7) }

func most(items []int) (top int) {
	for i := range items {
		top = max(top, items[i])
	}
	return top
}

func firsts(items []int, n int) []int { return items[:n] }

func found(grid [][]int, wanted int) bool {
rows:
	for _, row := range grid {
		for _, item := range row {
			switch item {
			case wanted:
				return true
			case 0, -1:
				continue rows
			}
		}
	}
	return false
}

func text(n int) string { return fmt.Sprint("n", " ", n+1) }

func empty(items []int) map[int]bool { return make(map[int]bool, len(items)+1) }
