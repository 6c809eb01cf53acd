"""Bots and learned players behind one ``Agent`` interface."""
