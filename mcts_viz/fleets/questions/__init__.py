"""The stored questions: what to ask of any fleet, each with a sentence, a query, a picture and a judgement."""
