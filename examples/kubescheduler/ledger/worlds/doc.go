// Package worlds tries what the tables of package ledger say: it sets one field of one object in a small dump, a
// world, and compares everything that the library answers about it with the answers about the world as it was.
//
// A world is a file of testdata: a List of objects with a sentence about it, and a release. Most worlds are scarce,
// so that little has to change for another answer.
package worlds
